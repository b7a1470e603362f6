import { aggregateMessage, type KubeObject } from '@freshread/core'
import { ensureFields, fieldsAt, listAt, mapAt, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { StrategyContext } from '../strategy.ts'
import { containerRequests } from '../validation/pod-spec.ts'
import { admissionForbidden, specOf } from './common.ts'

type Amounts = Readonly<Record<string, string>>

const ANNOTATION = 'kubernetes.io/limit-ranger'

async function rangesOf(context: StrategyContext): Promise<readonly Fields[]> {
  const ranges = await context.lookupAll('', 'limitranges', context.namespace)
  return ranges.flatMap((range) => listAt(fieldsAt(range, 'spec'), 'limits'))
}

/** Gives containers the requests and limits that the namespace's LimitRanges have for them, and notes it. */
export async function applyLimitRangeDefaults(pod: KubeObject, context: StrategyContext): Promise<void> {
  const notes: string[] = []
  for (const limit of await rangesOf(context)) {
    if (limit['type'] !== 'Container') continue
    for (const [list, what] of [
      ['containers', 'container'],
      ['initContainers', 'init container'],
    ] as const) {
      for (const container of listAt(specOf(pod), list)) {
        const added = (kind: 'requests' | 'limits', defaults: Amounts): string[] => {
          const own = mapAt(fieldsAt(container, 'resources'), kind)
          const missing = Object.keys(defaults).filter((name) => own[name] === undefined)
          if (missing.length === 0) return []
          ensureFields(container, 'resources')[kind] = {
            ...own,
            ...Object.fromEntries(missing.map((name) => [name, defaults[name]])),
          }
          return [`${missing.sort().join(', ')} ${kind.slice(0, -1)} for ${what} ${stringAt(container, 'name')}`]
        }
        const limits = added('limits', mapAt(limit, 'default'))
        notes.push(...added('requests', mapAt(limit, 'defaultRequest')), ...limits)
      }
    }
  }
  if (notes.length > 0)
    ensureFields(pod.metadata, 'annotations')[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`
}

/** Refuses pods and claims outside their namespace's LimitRanges (`plugin/pkg/admission/limitranger`). */
export async function checkLimitRanges(
  resource: 'pods' | 'persistentvolumeclaims',
  object: KubeObject,
  context: StrategyContext,
): Promise<void> {
  const texts: string[] = []
  const spec = specOf(object)
  for (const limit of await rangesOf(context)) {
    const type = stringAt(limit, 'type')
    if (resource === 'persistentvolumeclaims') {
      if (type !== 'PersistentVolumeClaim') continue
      const requests = mapAt(fieldsAt(spec, 'resources'), 'requests')
      texts.push(...each(limit, 'min', (name, bound) => minimum(type, name, bound, requests, {})))
      texts.push(...each(limit, 'max', (name, bound) => maximumRequest(type, name, bound, requests)))
    } else if (type === 'Container') {
      for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]) {
        const resources = fieldsAt(container, 'resources')
        texts.push(...bounds(limit, type, mapAt(resources, 'requests'), mapAt(resources, 'limits')))
      }
    } else if (type === 'Pod') texts.push(...bounds(limit, type, podTotal(spec, 'requests'), podTotal(spec, 'limits')))
  }
  if (texts.length > 0) throw admissionForbidden('', resource, object, aggregateMessage(texts))
}

/** Requests or limits of a whole pod. */
export function podTotal(spec: Fields, kind: 'requests' | 'limits'): Amounts {
  const view = kind === 'requests' ? spec : withLimitsAsRequests(spec)
  const sums = Object.entries(containerRequests(view)).map(([name, amount]) => [name, amount.toString()])
  return { ...Object.fromEntries(sums), ...mapAt(fieldsAt(spec, 'resources'), kind) }
}

function withLimitsAsRequests(spec: Fields): Fields {
  const turned = (list: string): Fields[] =>
    listAt(spec, list).map((container) => ({
      ...container,
      resources: { requests: mapAt(fieldsAt(container, 'resources'), 'limits') },
    }))
  return { containers: turned('containers'), initContainers: turned('initContainers') }
}

function bounds(limit: Fields, type: string, requests: Amounts, limits: Amounts): string[] {
  return [
    ...each(limit, 'min', (name, bound) => minimum(type, name, bound, requests, limits)),
    ...each(limit, 'max', (name, bound) => maximum(type, name, bound, requests, limits)),
    ...each(limit, 'maxLimitRequestRatio', (name, bound) => ratio(type, name, bound, requests, limits)),
  ]
}

function each(limit: Fields, field: string, check: (name: string, bound: string) => string | undefined): string[] {
  return Object.entries(mapAt(limit, field)).flatMap(([name, bound]) => check(name, bound) ?? [])
}

function compare(a: string, b: string): number {
  return Quantity.parse(a).compare(Quantity.parse(b))
}

function minimum(type: string, name: string, bound: string, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests[name], limits[name]]
  const rule = `minimum ${name} usage per ${type} is ${bound}`
  if (request === undefined) return `${rule}.  No request is specified`
  if (compare(request, bound) < 0) return `${rule}, but request is ${request}`
  return limit !== undefined && compare(limit, bound) < 0 ? `${rule}, but limit is ${limit}` : undefined
}

function maximumRequest(type: string, name: string, bound: string, requests: Amounts): string | undefined {
  const request = requests[name]
  const rule = `maximum ${name} usage per ${type} is ${bound}`
  if (request === undefined) return `${rule}.  No request is specified`
  return compare(request, bound) > 0 ? `${rule}, but request is ${request}` : undefined
}

function maximum(type: string, name: string, bound: string, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests[name], limits[name]]
  const rule = `maximum ${name} usage per ${type} is ${bound}`
  if (limit === undefined) return `${rule}.  No limit is specified`
  if (compare(limit, bound) > 0) return `${rule}, but limit is ${limit}`
  return request !== undefined && compare(request, bound) > 0 ? `${rule}, but request is ${request}` : undefined
}

function ratio(type: string, name: string, bound: string, requests: Amounts, limits: Amounts): string | undefined {
  const request = Quantity.parse(requests[name] ?? '0')
  const limit = Quantity.parse(limits[name] ?? '0')
  const rule = `${name} max limit to request ratio per ${type} is ${bound}`
  if (request.nano === 0n) return `${rule}, but no request is specified or request is 0`
  if (limit.nano === 0n) return `${rule}, but no limit is specified or limit is 0`
  const observed = Number(limit.milliValue) / Number(request.milliValue)
  return observed > Number(Quantity.parse(bound).milliValue) / 1000
    ? `${rule}, but provided ratio is ${observed.toFixed(6)}`
    : undefined
}

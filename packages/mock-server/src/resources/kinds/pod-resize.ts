import { forbidden, invalid, StatusError, type FieldError, type KubeObject } from '@freshread/core'
import { assign, fieldsAt, isSet, listAt, mapAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { StrategyContext } from '../strategy.ts'
import { annotationsOf } from '../validation/labels.ts'
import { admissionForbidden, keepMeta, META_FOR_STATUS, specOf, statusOf } from './common.ts'
import { podTotal } from './limit-ranger.ts'
import { qosClass } from './pod-qos.ts'

/** Resizing changes nothing but the resources of containers (`dropNonResizeUpdates`). */
export function preparePodResize(object: KubeObject, current: KubeObject): void {
  const spec = specOf(object)
  const kept = structuredClone(specOf(current))
  for (const list of ['containers', 'initContainers']) {
    const wanted = listAt(spec, list)
    const own = listAt(kept, list)
    // Left as it is for validation to refuse.
    if (wanted.length !== own.length || own.some((container, i) => container['name'] !== wanted[i]!['name'])) return
    own.forEach((container, i) => {
      for (const name of ['resources', 'resizePolicy']) assign(container, name, wanted[i]![name])
    })
  }
  if (isSet(spec, 'resources')) kept['resources'] = spec['resources']
  keepMeta(object, current, META_FOR_STATUS)
  object['spec'] = kept
  object['status'] = structuredClone(current['status'])
}

/** `ValidatePodResize`, after the pod itself. */
export function validatePodResize(object: KubeObject, current: KubeObject): FieldError[] {
  if (annotationsOf(current)['kubernetes.io/config.mirror'] !== undefined)
    return [forbidden('[]', 'static pods cannot be resized')]
  const errors: FieldError[] = []
  const spec = specOf(object)
  const before = specOf(current)
  const status = statusOf(current)
  const oldClass = stringAt(status, 'qosClass') || qosClass(before)
  if (qosClass(spec) !== oldClass)
    errors.push(invalid('spec', oldClass, 'Pod QOS Class may not change as a result of resizing'))
  const running = listAt(status, 'containerStatuses').find((container) =>
    isSet(fieldsAt(container, 'state'), 'running'),
  )
  if (running !== undefined && !isSet(running, 'resources')) {
    errors.push(forbidden('spec', 'Pod running on node without support for resize'))
  }
  const order = ['containers', 'initContainers'].flatMap((list) => sameContainers(list, spec, before))
  if (order.length > 0) return [...errors, ...order]
  for (const list of ['initContainers', 'containers']) {
    const old = listAt(before, list)
    listAt(spec, list).forEach((container, i) => {
      const at = `spec.${list}[${i}]`
      for (const kind of ['requests', 'limits']) {
        const now = mapAt(fieldsAt(container, 'resources'), kind)
        const removed = Object.keys(mapAt(fieldsAt(old[i], 'resources'), kind)).some((name) => now[name] === undefined)
        if (removed) errors.push(forbidden(`${at}.resources.${kind}`, `resource ${kind} cannot be removed`))
      }
      if (semanticEqual(withoutCompute(container), withoutCompute(old[i]!))) return
      const text = 'only cpu and memory resources for init or sidecar containers are mutable'
      errors.push(
        list === 'containers' ? forbidden('spec', 'only cpu and memory resources are mutable') : forbidden(at, text),
      )
    })
  }
  return errors
}

/** Whether the node of a pod has room for what it asks now (`plugin/pkg/admission/podresize`). */
export async function admitPodResize(object: KubeObject, current: KubeObject, context: StrategyContext): Promise<void> {
  const name = stringAt(specOf(object), 'nodeName')
  if (name === '' || object.metadata.generation === current.metadata.generation) return
  const refuse = (text: string): StatusError => admissionForbidden('', 'pods', object, text)
  const node = await context.lookup('', 'nodes', '', name)
  if (node === undefined) throw refuse(`node ${JSON.stringify(name)} not found`)
  const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
  if (system !== 'linux') {
    const text = `pod resize is only supported on linux nodes, node ${JSON.stringify(name)} is ${JSON.stringify(system)}`
    throw withCause(refuse(text), 'UnsupportedPlatform')
  }
  const allocatable = mapAt(statusOf(node), 'allocatable')
  const requests = podTotal(specOf(object), 'requests')
  const lacks = (['cpu', 'memory'] as const).flatMap((resource) => {
    const requested = Quantity.parse(requests[resource] ?? '0')
    const room = Quantity.parse(allocatable[resource] ?? '0')
    if (requested.compare(room) <= 0) return []
    const amount = (quantity: Quantity): bigint => (resource === 'cpu' ? quantity.milliValue : quantity.value)
    return [`${resource}, requested: ${amount(requested)}, allocatable: ${amount(room)}`]
  })
  if (lacks.length === 0) return
  throw withCause(refuse(`node didn't have enough allocatable resources: ${lacks.join('; ')}`), 'NodeCapacity')
}

function withCause({ status }: StatusError, reason: string): StatusError {
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } })
}

function sameContainers(list: string, spec: Fields, before: Fields): FieldError[] {
  const now = listAt(spec, list)
  const old = listAt(before, list)
  if (now.length !== old.length) return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)]
  return old.flatMap((container, i) => {
    const text = `${list} may not be renamed or reordered on resize`
    return container['name'] === now[i]!['name'] ? [] : [forbidden(`spec.${list}[${i}].name`, text)]
  })
}

/** A container without the resources that may change, and how they do. */
function withoutCompute(container: Fields): Fields {
  const resources = { ...fieldsAt(container, 'resources') }
  for (const kind of ['requests', 'limits']) {
    const { cpu: _cpu, memory: _memory, ...rest } = mapAt(resources, kind)
    assign(resources, kind, Object.keys(rest).length > 0 ? rest : undefined)
  }
  const { resizePolicy: _policy, ...own } = container
  return { ...own, resources }
}

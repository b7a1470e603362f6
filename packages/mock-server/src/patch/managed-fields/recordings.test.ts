import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KubeObject, StatusError } from '@freshread/core'
import { builtInResources } from '../../resources/catalogue.ts'
import { applyServerSide, updateManagedFields, type ManagedResource } from './index.ts'

/*
 * What a real server answered, without a server of our own: the answer to one write is the live object of the
 * next, and each answer's managedFields must follow from the two objects.
 */

interface Step {
  readonly id?: string
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: KubeObject
}

interface Answer {
  readonly id: string
  readonly status: number
  readonly body: KubeObject
}

const folder = new URL('../../../../../conformance/recordings/', import.meta.url)
const unused = (): never => {
  throw new Error('not needed here')
}
const resources = new Map<string, ManagedResource>()
for (const resource of builtInResources({ strategyFor: unused, printerFor: unused })) {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  resources.set(`${root}/${resource.resource}`, resource)
}

interface Target {
  readonly resource: ManagedResource
  /** Path of the object itself, without its name for a create. */
  readonly path: string
  readonly name: string | undefined
  readonly subresource: string
}

const written = /^(\/api\/\w+|\/apis\/[^/]+\/\w+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/

function targetOf(path: string): Target | undefined {
  const match = written.exec(path)
  if (match === null) return undefined
  const [, root, , type, name, subresource = ''] = match
  const resource = resources.get(`${root}/${type}`)
  if (resource === undefined || subresource === 'scale') return undefined
  return { resource, path: subresource === '' ? path : path.slice(0, -subresource.length - 1), name, subresource }
}

/** Managed fields without times, which recordings do not have. */
function timeless(object: KubeObject): unknown {
  return object.metadata.managedFields?.map((entry) => ({ ...entry, time: undefined }))
}

/** The recorded times are gone; what they say is only the order. */
function withTimes(object: KubeObject, seconds: number): KubeObject {
  const managedFields = object.metadata.managedFields?.map((entry) =>
    entry.time === undefined ? entry : { ...entry, time: new Date(seconds * 1000).toISOString() },
  )
  return { ...object, metadata: { ...object.metadata, ...(managedFields && { managedFields }) } }
}

/** Kinds that get fields after their managers were noted, when they are created. */
const completedByServer: ReadonlySet<string> = new Set([
  'Job',
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'Service',
])

/** Recordings whose requests bring managed fields by patch, or whose uids became symbols. */
const unfit: ReadonlySet<string> = new Set(['managers-by-hand.json', 'apply-built-in-lists.json'])

const groups = ['patch', 'kinds', 'crud']
for (const group of groups) {
  describe(group, () => {
    for (const file of readdirSync(new URL(`${group}/`, folder))) {
      if (unfit.has(file)) continue
      const { steps, expect: answers } = JSON.parse(readFileSync(new URL(`${group}/${file}`, folder), 'utf8')) as {
        steps: Step[]
        expect: Answer[]
      }
      it(`tracks the managers of ${file.slice(0, -5)} as recorded`, () => {
        const live = new Map<string, KubeObject>()
        for (const step of steps) {
          const answer = answers.find(({ id }) => id === step.id)
          if (answer === undefined || !['GET', 'POST', 'PUT', 'PATCH'].includes(step.method ?? '')) continue
          const url = new URL(step.path, 'http://server')
          const target = targetOf(url.pathname)
          if (target === undefined || url.searchParams.has('dryRun')) continue
          const isApply = step.headers?.['content-type'] === 'application/apply-patch+yaml'
          const base = {
            resource: target.resource,
            subresource: target.subresource,
            manager: url.searchParams.get('fieldManager') ?? step.headers?.['user-agent']?.split('/')[0] ?? 'golden',
            now: 1_000_000,
          }
          const current = live.get(target.path)
          if (answer.status === 409 && isApply && answer.body['details']) {
            const failure = (): KubeObject =>
              applyServerSide({ ...base, live: current, applied: step.body!, force: false })
            if (!String(answer.body['message']).startsWith('Apply failed')) continue
            expect(failure, step.id).toThrow(String(answer.body['message']))
            try {
              failure()
            } catch (error) {
              expect({ ...(error as StatusError).status }, step.id).toEqual(answer.body)
            }
            continue
          }
          if (answer.status >= 300 || answer.body.kind !== target.resource.kind) continue
          const path = target.name === undefined ? `${target.path}/${answer.body.metadata.name}` : target.path
          const now = withTimes(answer.body, 1000)
          live.set(path, now)
          if (step.method === 'GET' || step.body === undefined) continue
          if (step.method === 'POST' && completedByServer.has(target.resource.kind)) continue
          if (answer.body.metadata.managedFields === undefined && !JSON.stringify(step.body).includes('managedFields'))
            continue
          const result = isApply
            ? applyServerSide({
                ...base,
                live: current,
                applied: step.body,
                force: url.searchParams.get('force') === 'true',
              })
            : updateManagedFields({
                ...base,
                live: current,
                object: {
                  ...answer.body,
                  metadata: { ...answer.body.metadata, managedFields: step.body.metadata?.managedFields },
                } as KubeObject,
              })
          expect(timeless(result), step.id).toEqual(timeless(now))
        }
      })
    }
  })
}

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { StatusError, type KubeObject } from '@freshread/core'
import { builtInResources } from '../../resources/catalogue.ts'
import { applyServerSide, updateManagedFields, type ManagedResource } from './index.ts'

/*
 * What a real server answered, without a server of our own: the answer to one write is the live object of the
 * next, and each answer's managedFields must follow from the two objects.
 */

interface Step {
  readonly id?: string
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: KubeObject
}

interface Answer {
  readonly id: string
  readonly status: number
  readonly body: KubeObject
}

interface Recording {
  readonly steps: readonly Step[]
  readonly expect: readonly Answer[]
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

/**
 * Recordings that need more than the objects: managed fields that come with a request, uids, other versions, what the
 * server itself writes between two steps. The whole server is held to them all the same.
 */
const unfit: ReadonlySet<string> = new Set([
  'apply-built-in-lists.json',
  'apply-odd.json',
  'apply-versions.json',
  'managers-by-hand.json',
  'schema-tightened.json',
])

interface Replay {
  readonly got: unknown[]
  readonly want: unknown[]
}

/** Does the writes of a recording; what came of each one beside what was recorded. */
function replay(steps: readonly Step[], answers: readonly Answer[]): Replay {
  const live = new Map<string, KubeObject>()
  const out: Replay = { got: [], want: [] }
  for (const step of steps) {
    const answer = answers.find(({ id }) => id === step.id)
    const url = new URL(step.path ?? '', 'http://server')
    const target = targetOf(url.pathname)
    if (answer === undefined || target === undefined || url.searchParams.has('dryRun')) continue
    const current = live.get(target.path)
    const isObject = answer.status < 300 && answer.body.kind === target.resource.kind
    const now = isObject ? withTimes(answer.body, 1000) : answer.body
    if (isObject) {
      live.set(target.name === undefined ? `${target.path}/${now.metadata.name}` : target.path, now)
    }
    const write = isObject || isConflict(answer.body) ? writeOf(step, url, target, current, answer.body) : undefined
    if (write === undefined) continue
    out.got.push([step.id, outcome(write)])
    out.want.push([step.id, isObject ? timeless(now) : now])
  }
  return out
}

function isConflict(body: KubeObject): boolean {
  return String(body['message']).startsWith('Apply failed')
}

/** The write of a step, as far as it can be told from the objects before and after it. */
function writeOf(
  step: Step,
  url: URL,
  { resource, subresource }: Target,
  live: KubeObject | undefined,
  answer: KubeObject,
): (() => KubeObject) | undefined {
  const { body, headers, method } = step
  if (body === undefined || !['POST', 'PUT', 'PATCH'].includes(method ?? '')) return undefined
  if (method === 'POST' && completedByServer.has(resource.kind)) return undefined
  const manager = url.searchParams.get('fieldManager') ?? headers?.['user-agent']?.split('/')[0] ?? 'golden'
  const base = { resource, subresource, manager, now: 1_000_000, live }
  if (headers?.['content-type'] === 'application/apply-patch+yaml') {
    return () => applyServerSide({ ...base, applied: body, force: url.searchParams.get('force') === 'true' })
  }
  // Objects that are not tracked say nothing, unless it is this step that clears them.
  if (answer.metadata.managedFields === undefined && !JSON.stringify(body).includes('managedFields')) return undefined
  const metadata = { ...answer.metadata, managedFields: body.metadata?.managedFields }
  return () => updateManagedFields({ ...base, object: { ...answer, metadata } as KubeObject })
}

/** The managed fields that a write leaves, or the Status that it fails with. */
function outcome(write: () => KubeObject): unknown {
  try {
    return timeless(write())
  } catch (error) {
    if (error instanceof StatusError) return error.status
    throw error
  }
}

describe('recordings', () => {
  const patches = readdirSync(new URL('patch/', folder)).filter((file) => !unfit.has(file))
  for (const file of [
    ...patches.map((name) => `patch/${name}`),
    'kinds/managed-fields.json',
    'kinds/subresource-status.json',
  ]) {
    const recording = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recording
    it(`have the managers of ${file.slice(0, -5)} as they are worked out`, () => {
      const { got, want } = replay(recording.steps, recording.expect)
      expect(got.length).toBeGreaterThan(0)
      expect(got).toEqual(want)
    })
  }
})

import { StatusError, type KubeObject, type Status } from '@freshread/core'
import { readSource, type LoadInput } from './load-source.ts'
import { collectionPath, LocalClient, type LocalAnswer, type LocalServer } from './local-client.ts'
import type { Resource } from './resources/resource.ts'

const USER_AGENT = 'freshread-load'

/** Kinds that others need before they can be loaded. */
const FIRST = ['CustomResourceDefinition', 'Namespace']

/**
 * Puts objects into a server, replacing those that exist, statuses included. Missing namespaces are made.
 *
 * @throws TypeError for what are no objects and for files that cannot be read, before anything is stored; StatusError
 *   for an object that the API refuses, with its name in front
 */
export async function loadObjects(server: LocalServer, input: LoadInput): Promise<readonly KubeObject[]> {
  const objects = (await Promise.all([input].flat().map(readSource))).flat()
  const rank = (object: KubeObject): number => {
    const index = FIRST.indexOf(object.kind ?? '')
    return index < 0 ? FIRST.length : index
  }
  const ordered = objects.map((object, index) => ({ object, index })).sort((a, b) => rank(a.object) - rank(b.object))
  const stored: KubeObject[] = []
  for (const { object, index } of ordered) stored[index] = await loadOne(server, object)
  return stored
}

/** All objects of a server, or of one of its resources, as they are stored. */
export async function dumpObjects(server: LocalServer, resource?: string): Promise<readonly KubeObject[]> {
  const byKey = new Map<string, Resource>()
  for (const candidate of server.registry.all()) {
    if (!candidate.verbs.includes('list') || !candidate.verbs.includes('watch')) continue
    const name = candidate.group === '' ? candidate.resource : `${candidate.resource}.${candidate.group}`
    if (resource !== undefined && resource !== candidate.resource && resource !== name) continue
    if (!byKey.has(candidate.storageKey)) byKey.set(candidate.storageKey, candidate)
  }
  if (resource !== undefined && byKey.size === 0) throw new TypeError(`dump: no such resource: ${resource}`)
  const out: KubeObject[] = []
  for (const candidate of byKey.values()) out.push(...structuredClone(await server.listStored(candidate, '')))
  return out
}

async function loadOne(server: LocalServer, given: KubeObject): Promise<KubeObject> {
  const client = new LocalClient(server, USER_AGENT)
  const { apiVersion = '', kind = '' } = given
  const slash = apiVersion.indexOf('/')
  const resource = server.registry.findKind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind)
  if (resource === undefined) throw new TypeError(`load: no resource serves kind ${kind} of ${apiVersion}`)
  const { resourceVersion: _rv, managedFields: _managed, uid: _uid, ...metadata } = given.metadata ?? {}
  const object: KubeObject = { ...given, metadata }
  const namespace = resource.namespaced ? (metadata.namespace ?? 'default') : ''
  const name = `${kind} ${namespace === '' ? '' : `${namespace}/`}${metadata.name ?? metadata.generateName ?? ''}`
  const collection = collectionPath(resource, namespace)
  const item = `${collection}/${encodeURIComponent(metadata.name ?? '')}`
  let created = await client.send('POST', collection, object)
  if (created.status === 404 && namespace !== '') {
    await client.send('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
    created = await client.send('POST', collection, object)
  }
  if (created.status === 409 && metadata.name !== undefined) created = await client.send('PUT', item, object)
  let stored = expectObject(created, name)
  if (object['status'] !== undefined && resource.subresources.has('status')) {
    const path = `${collection}/${encodeURIComponent(stored.metadata.name!)}/status`
    stored = expectObject(await client.send('PUT', path, { ...stored, status: object['status'] }), name)
  }
  if (kind === 'CustomResourceDefinition') await established(client, item)
  return stored
}

/** How often it is looked whether a definition is served; it is after a few turns of the event loop. */
const ATTEMPTS = 100

/** Waits until the objects of a definition can be loaded. One that is not accepted never is. */
async function established(client: LocalClient, path: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { object } = await client.send('GET', path)
    const { conditions = [] } = (
      object as { status?: { conditions?: readonly { type: string; status: string }[] | null } }
    ).status ?? { conditions: [] }
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) return
    if (conditions?.some(({ type, status }) => type === 'NamesAccepted' && status === 'False')) return
  }
}

function expectObject(answer: LocalAnswer, name: string): KubeObject {
  if (answer.status < 400) return answer.object as KubeObject
  const status = answer.object as Status
  throw new StatusError({ ...status, message: `load ${name}: ${status.message ?? ''}` })
}

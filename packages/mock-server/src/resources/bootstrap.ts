import { StoredValue, type Clock, type KubeObject, type KV } from '@freshread/core'
import data from '../../data/bootstrap.json' with { type: 'json' }
import type { MutableRegistry } from './mutable-registry.ts'
import { keyOf } from './storage-key.ts'
import { newUid, timestamp } from './system-fields.ts'

/**
 * The objects a new server holds, in the order a real one writes them: the four namespaces, the `kubernetes`
 * Service with its address, priority classes, flow schemas, API services. Each call makes new ones.
 */
export function bootstrapObjects(clock: Clock): KubeObject[] {
  const now = timestamp(clock)
  const text = JSON.stringify(data)
    .replaceAll('"$now"', `"${now}"`)
    .replaceAll('"$today"', `"${now.slice(0, 10)}"`)
  return (JSON.parse(text) as KubeObject[]).map((object) => {
    const { metadata } = object
    return {
      ...object,
      metadata: {
        ...metadata,
        uid: newUid(),
        creationTimestamp: now,
        managedFields: (metadata.managedFields ?? []).map(({ manager, operation, apiVersion, ...rest }) => ({
          manager: manager!,
          operation: operation!,
          apiVersion: apiVersion!,
          time: now,
          ...rest,
        })),
      },
    }
  })
}

/**
 * Writes the objects of a new server into a storage that has none, straight into it: what they were made by was there
 * before the API.
 */
export async function bootstrap(kv: KV, registry: MutableRegistry, clock: Clock): Promise<void> {
  const { count } = await kv.range({ start: '/registry/namespaces/', end: '/registry/namespaces0', countOnly: true })
  if (count > 0) return
  for (const object of bootstrapObjects(clock)) {
    const { apiVersion = '', kind = '', metadata } = object
    const slash = apiVersion.indexOf('/')
    const resource = registry.findKind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind)!
    const key = `/registry${keyOf(resource, metadata.namespace ?? '', metadata.name!)}`
    // A replica may be doing the same: whoever comes second leaves it.
    await kv.txn({ key, expectedRevision: 0, put: StoredValue.fromObject(object) })
  }
}

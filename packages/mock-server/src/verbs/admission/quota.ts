import { newForbidden, type GroupResource, type KubeObject } from '@freshread/core'
import { fieldsAt, mapAt } from '../../resources/fields.ts'
import { missingForQuota, quotaCovers, quotaUsage, type Usage } from '../../resources/kinds/quota-usage.ts'
import { Quantity } from '../../resources/quantity.ts'
import { keyOf } from '../../resources/storage-key.ts'
import { noteUpdate } from '../managed-fields.ts'
import type { RequestScope } from '../scope.ts'

/** Resources that no quota counts. */
const UNCOUNTED: ReadonlySet<string> = new Set(['/bindings', '/events', 'events.k8s.io/events'])

/**
 * Charges a new object to the quotas of its namespace, or refuses it
 * (`apiserver: pkg/admission/plugin/resourcequota`).
 */
export async function chargeQuotas(scope: RequestScope, object: KubeObject, dryRun: boolean): Promise<void> {
  const { resource, namespace, host } = scope
  if (!resource.namespaced || UNCOUNTED.has(`${resource.group}/${resource.resource}`)) return
  const quotas = await host.lookupAll('', 'resourcequotas', namespace)
  if (quotas.length === 0) return
  const usage = quotaUsage(resource, object)
  const name = object.metadata.name ?? ''
  const charged = quotas.filter((quota) => {
    const hard = restricted(quota, usage, resource)
    if (hard.length === 0 || !quotaCovers(quota, resource, object)) return false
    checkStatus(resource, name, quota, hard)
    const missing = missingForQuota(resource, hard, object)
    if (missing !== undefined) throw newForbidden(resource, name, `failed quota: ${quota.metadata.name}: ${missing}`)
    checkRoom(resource, name, quota, usage)
    return true
  })
  if (dryRun) return
  for (const quota of charged) await charge(scope, name, quota, usage)
}

/** What a quota limits of such objects. */
function restricted(quota: KubeObject, usage: Usage, resource: GroupResource): string[] {
  const names = Object.keys(mapAt(fieldsAt(quota, 'status'), 'hard'))
  const compute = resource.group === '' && resource.resource === 'pods'
  return names.filter(
    (name) =>
      usage[name] !== undefined || (compute && /^((requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.test(name)),
  )
}

function checkStatus(resource: GroupResource, name: string, quota: KubeObject, hard: readonly string[]): void {
  const used = mapAt(fieldsAt(quota, 'status'), 'used')
  if (hard.every((entry) => used[entry] !== undefined)) return
  const names = [...hard].sort().join(',')
  throw newForbidden(resource, name, `status unknown for quota: ${quota.metadata.name}, resources: ${names}`)
}

function checkRoom(resource: GroupResource, name: string, quota: KubeObject, usage: Usage): void {
  const status = fieldsAt(quota, 'status')
  const [hard, used] = [mapAt(status, 'hard'), mapAt(status, 'used')]
  const amount = (of: Readonly<Record<string, string>>, entry: string): Quantity => Quantity.parse(of[entry] ?? '0')
  const exceeded = requested(quota, usage).filter(
    (entry) => amount(used, entry).add(usage[entry]!).compare(amount(hard, entry)) > 0,
  )
  if (exceeded.length === 0) return
  const list = (value: (entry: string) => unknown): string =>
    exceeded.map((entry) => `${entry}=${String(value(entry))}`).join(',')
  const parts = [
    `exceeded quota: ${quota.metadata.name}`,
    `requested: ${list((entry) => usage[entry])}`,
    `used: ${list((entry) => amount(used, entry))}`,
    `limited: ${list((entry) => amount(hard, entry))}`,
  ]
  throw newForbidden(resource, name, parts.join(', '))
}

/** What of an object a quota counts, sorted. */
function requested(quota: KubeObject, usage: Usage): string[] {
  const hard = mapAt(fieldsAt(quota, 'status'), 'hard')
  return Object.keys(usage)
    .filter((entry) => hard[entry] !== undefined && usage[entry]!.nano !== 0n)
    .sort()
}

/** Adds to what is used of a quota, as the API server itself. */
async function charge(scope: RequestScope, name: string, quota: KubeObject, usage: Usage): Promise<void> {
  const entries = requested(quota, usage)
  if (entries.length === 0) return
  const { host } = scope
  const resource = host.registry.find('', 'v1', 'resourcequotas')!
  const quotaScope: RequestScope = { ...scope, resource, subresource: resource.subresources.get('status') }
  const stored = await host
    .storageOf(resource)
    .guaranteedUpdate(keyOf(resource, scope.namespace, quota.metadata.name!), {
      signal: scope.signal,
      tryUpdate(current) {
        const now = current!.object
        checkRoom(scope.resource, name, now, usage)
        const status = fieldsAt(now, 'status') ?? {}
        const used = { ...mapAt(status, 'used') }
        for (const entry of entries)
          used[entry] = Quantity.parse(used[entry] ?? '0')
            .add(usage[entry]!)
            .toString()
        const changed = structuredClone({ ...now, status: { ...status, used } })
        return { object: noteUpdate(quotaScope, now, changed, 'kube-apiserver') }
      },
    })
  await host.afterWrite(resource, stored.object, false)
}

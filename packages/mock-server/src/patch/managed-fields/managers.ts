import { goJSON, type ManagedFieldsEntry } from '@freshread/core'
import type { FieldSet } from './field-set.ts'
import { parseFieldsV1, serializeFieldsV1 } from './fields-v1.ts'
import { compareText } from './path-element.ts'

/** What one manager owns, in the version it wrote in (`structured-merge-diff: fieldpath.VersionedSet`). */
export interface VersionedSet {
  readonly set: FieldSet
  readonly apiVersion: string
  readonly applied: boolean
}

/** Who owns what; keys are manager identifiers ({@link managerIdentifier}). */
export type ManagedSets = Map<string, VersionedSet>

/** The contents of `metadata.managedFields` (`pkg/util/managedfields/internal: ManagedInterface`). */
export interface Managed {
  sets: ManagedSets
  /** When each manager last wrote; kept apart, since not every write moves it. */
  readonly times: Map<string, string>
}

/** Nobody owns anything. */
export function emptyManaged(): Managed {
  return { sets: new Map(), times: new Map() }
}

/**
 * What tells one manager from another: its name, operation and subresource, and for updates the version too
 * (`BuildManagerIdentifier`). Appliers are the same whatever version they apply in.
 */
export function managerIdentifier(
  entry: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'apiVersion' | 'subresource'>,
): string {
  return goJSON({
    ...(entry.manager && { manager: entry.manager }),
    ...(entry.operation && { operation: entry.operation }),
    ...(entry.operation !== 'Apply' && entry.apiVersion && { apiVersion: entry.apiVersion }),
    ...(entry.subresource && { subresource: entry.subresource }),
  })
}

/** What {@link managerIdentifier} was made of. */
export function parseIdentifier(identifier: string): ManagedFieldsEntry {
  return JSON.parse(identifier) as ManagedFieldsEntry
}

/** Reads `metadata.managedFields` (`DecodeManagedFields`). Throws an Error for entries that are not valid. */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | null | undefined): Managed {
  const managed = emptyManaged()
  entries?.forEach((entry, i) => {
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      throw new Error('operation must be `Apply` or `Update`')
    }
    if (!entry.apiVersion) throw new Error('apiVersion must not be empty')
    if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${i}`)
    if (entry.fieldsType !== 'FieldsV1') {
      throw new Error(`invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${i}`)
    }
    const identifier = managerIdentifier(entry)
    managed.sets.set(identifier, {
      set: parseFieldsV1(entry.fieldsV1),
      apiVersion: entry.apiVersion,
      applied: entry.operation === 'Apply',
    })
    if (entry.time) managed.times.set(identifier, entry.time)
    else managed.times.delete(identifier)
  })
  return managed
}

/** Writes `metadata.managedFields`, `undefined` for none (`encodeManagedFields`). */
export function encodeManagedFields(managed: Managed): ManagedFieldsEntry[] | undefined {
  if (managed.sets.size === 0) return undefined
  const entries: ManagedFieldsEntry[] = []
  for (const [identifier, { set, apiVersion, applied }] of managed.sets) {
    const { manager, operation, subresource } = parseIdentifier(identifier)
    const time = managed.times.get(identifier)
    // In the order in which the wire has them.
    entries.push({
      ...(manager !== undefined && { manager }),
      operation: applied ? 'Apply' : (operation ?? 'Update'),
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: serializeFieldsV1(set),
      ...(subresource !== undefined && { subresource }),
    })
  }
  return entries.sort(compareEntries)
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation ?? '', b.operation ?? '') ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion ?? '', b.apiVersion ?? '') ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  )
}

/** Seconds since the epoch; 0 for no time. */
function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0
}

/** Milliseconds since the epoch as `metav1.Time` writes them: to the second, in UTC. */
export function timeText(now: number): string {
  return `${new Date(Math.floor(now / 1000) * 1000).toISOString().slice(0, 19)}Z`
}

/** The most update managers that an object remembers; what older ones own goes to `ancient-changes`. */
const MAX_UPDATE_MANAGERS = 10

/** Joins the oldest update managers of each version until there are few enough (`internal/capmanagers.go`). */
export function capUpdateManagers(managed: Managed, limit: number = MAX_UPDATE_MANAGERS): void {
  const { sets, times } = managed
  const updaters = [...sets.keys()].filter((identifier) => !sets.get(identifier)!.applied)
  let count = updaters.length
  if (count <= limit) return
  updaters.sort((a, b) => seconds(times.get(a)) - seconds(times.get(b)) || compareText(a, b))
  const firstOfVersion = new Map<string, string>()
  for (const updater of updaters) {
    if (count <= limit) break
    const { set, apiVersion, applied } = sets.get(updater)!
    const first = firstOfVersion.get(apiVersion)
    if (first === undefined) {
      firstOfVersion.set(apiVersion, updater)
      continue
    }
    const bucket = managerIdentifier({ manager: 'ancient-changes', operation: 'Update', apiVersion })
    if (!sets.has(bucket)) {
      sets.set(bucket, sets.get(first)!)
      sets.delete(first)
    }
    sets.set(bucket, { set: set.union(sets.get(bucket)!.set), apiVersion, applied })
    sets.delete(updater)
    count--
    // The later of the two.
    const time = times.get(updater)
    if (time === undefined) times.delete(bucket)
    else times.set(bucket, time)
  }
}

import { newBadRequest, type KubeObject, type ManagedFieldsEntry } from '@freshread/core'
import type { SchemaNode } from '../../resources/schema.ts'
import { plainError } from '../plain-error.ts'
import { atomOf, deduced, objectAtom, type Atom } from './atom.ts'
import { ConflictsError } from './conflict.ts'
import { FieldSet } from './field-set.ts'
import { allowedConflicts, lastAppliedOf, withLastApplied } from './last-applied.ts'
import {
  capUpdateManagers,
  decodeManagedFields,
  emptyManaged,
  encodeManagedFields,
  managerIdentifier,
  timeText,
  type Managed,
} from './managers.ts'
import { fieldElement } from './path-element.ts'
import { kindText, objectText, text } from './object-text.ts'
import { resetFieldsFilter, type ResettingResource } from './reset-fields.ts'
import { TypedErrors } from './typed-value.ts'
import { Updater, type Versioned } from './updater.ts'
import { validateTyped } from './validate-typed.ts'
import { zeroObject } from './zero-object.ts'

/** A resource as ownership sees it; every {@link Resource} is one. */
export interface ManagedResource extends ResettingResource {
  readonly version: string
  readonly kind: string
  readonly schema: SchemaNode | undefined
  /** Between the stored version and this one; identity where left out. */
  readonly fromStorage?: (object: KubeObject) => KubeObject
  readonly toStorage?: (object: KubeObject) => KubeObject
}

/** Finds a resource's sibling in another version; `undefined` when that version is not served any more. */
type VersionLookup = (apiVersion: string) => ManagedResource | undefined

/** What every write tells. Objects are in the version of `resource`. */
export interface WriteContext {
  readonly resource: ManagedResource
  /** `''` for the object itself, else `status`, `scale`, … */
  readonly subresource: string
  /** Name of the writer: the `fieldManager` parameter, else what its user agent says. */
  readonly manager: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Without it, managers of other versions are compared as if those had the same fields. */
  readonly versions?: VersionLookup | undefined
}

/** A write other than a server-side apply. */
export interface UpdateWrite extends WriteContext {
  /** The current object; `undefined` for a create. */
  readonly live: KubeObject | undefined
  /** What is to be stored, defaulted; it may bring managedFields of its own. */
  readonly object: KubeObject
}

/** A server-side apply. */
export interface ApplyWrite extends WriteContext {
  readonly live: KubeObject | undefined
  readonly applied: KubeObject
  readonly force: boolean
}

/** Fields that belong to nobody (`internal/stripmeta.go`). */
const stripSet = FieldSet.of(
  ...[
    ['apiVersion'],
    ['kind'],
    ['metadata'],
    ...[
      'name',
      'namespace',
      'creationTimestamp',
      'selfLink',
      'uid',
      'clusterName',
      'generation',
      'managedFields',
      'resourceVersion',
    ].map((name) => ['metadata', name]),
  ].map((path) => path.map(fieldElement)),
)

/** Owner of what was there before the first apply, when nobody is known to own it. */
const beforeFirstApply = 'before-first-apply'

/** The writer's name as `managerIdentifier` until it is known whether the write changed anything. */
const currentOperation = 'current-operation'

function apiVersionOf({ group, version }: ManagedResource): string {
  return group === '' ? version : `${group}/${version}`
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function withManagedFields(object: KubeObject, managed: Managed): KubeObject {
  const managedFields = encodeManagedFields(managed)
  if (managedFields === undefined) return object
  return { ...object, metadata: { ...object.metadata, managedFields } }
}

/**
 * The object of a create, update or patch with `metadata.managedFields` as they are after it
 * (`pkg/util/managedfields/internal: FieldManager.UpdateNoErrors`). Neither object is changed. An object that
 * does not fit its schema leaves managedFields as they were.
 */
export function updateManagedFields(write: UpdateWrite): KubeObject {
  const { live, subresource } = write
  const object = withoutManagedFields(write.object)
  const managed = decodeLiveOrNew(live, write.object, subresource !== '')
  // Objects that are not tracked, because they were cleared once, stay so until they are applied.
  if (managed.sets.size === 0 && live !== undefined && live.metadata.uid) return object
  try {
    const [before, after] = [toVersioned(write, live, true), toVersioned(write, object, false)]
    // Built-in kinds are of their types; a custom resource may be older than its schema.
    if (!write.resource.builtIn) for (const { value, atom } of [before, after]) validateTyped(value, atom, true)
    update(write, before, after, managed)
    return withManagedFields(object, managed)
  } catch (error) {
    if (!(error instanceof TypedErrors)) throw error
    const managedFields = live?.metadata.managedFields
    return managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields } }
  }
}

/** Managed fields of the request's object, where it may bring some, else of the current one (`decodeLiveOrNew`). */
function decodeLiveOrNew(live: KubeObject | undefined, object: KubeObject, ignoreRequest: boolean): Managed {
  const entries = object.metadata.managedFields
  if (!ignoreRequest && entries !== undefined && entries !== null) {
    if (isReset(entries)) return emptyManaged()
    const managed = decodeOrEmpty(entries)
    if (managed.sets.size > 0) return managed
  }
  return decodeOrEmpty(live?.metadata.managedFields)
}

/** `[]` and `[{}]` ask for nobody to own anything. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0)
}

function decodeOrEmpty(entries: readonly ManagedFieldsEntry[] | null | undefined): Managed {
  try {
    return decodeManagedFields(entries)
  } catch {
    return emptyManaged()
  }
}

function toVersioned(context: WriteContext, object: KubeObject | undefined, zero: boolean): Versioned {
  const { resource } = context
  const apiVersion = apiVersionOf(resource)
  const atom = atomFor(resource)
  if (object !== undefined) return { value: withoutManagedFields(object), apiVersion, atom }
  const empty =
    zero && resource.builtIn && resource.schema !== undefined ? zeroObject(resource.schema) : { metadata: {} }
  return { value: { ...empty, apiVersion, kind: resource.kind }, apiVersion, atom }
}

function atomFor(resource: ManagedResource): Atom {
  if (resource.schema === undefined) return deduced
  return resource.builtIn ? atomOf(resource.schema) : objectAtom(resource.schema)
}

/** Notes in `managed` what the current manager changed, in the name of `manager` unless another one is given. */
function update(
  write: WriteContext,
  live: Versioned,
  object: Versioned,
  managed: Managed,
  manager = write.manager,
): void {
  managed.sets = updater(write).update(live, object, managed.sets, currentOperation)
  const own = managed.sets.get(currentOperation)
  if (own !== undefined) {
    managed.sets.delete(currentOperation)
    const set = own.set.difference(stripSet)
    // Nothing of the writer's own changed: the time stays.
    if (!set.isEmpty) {
      const identifier = identify(write, manager, 'Update')
      const before = managed.sets.get(identifier)
      managed.sets.set(identifier, { ...own, set: before === undefined ? set : set.union(before.set) })
      managed.times.set(identifier, timeText(write.now))
    }
  }
  capUpdateManagers(managed)
}

function identify({ resource, subresource }: WriteContext, manager: string, operation: 'Apply' | 'Update'): string {
  return managerIdentifier({
    manager: manager === '' ? 'unknown' : manager,
    operation,
    apiVersion: apiVersionOf(resource),
    subresource,
  })
}

function updater({ resource, subresource, versions }: WriteContext): Updater {
  return new Updater({ filter: resetFieldsFilter(resource, subresource), convert: converter(resource, versions) })
}

function converter(
  resource: ManagedResource,
  versions: VersionLookup | undefined,
): (object: Versioned, apiVersion: string) => Versioned | undefined {
  const own = apiVersionOf(resource)
  const find = (apiVersion: string): ManagedResource | undefined =>
    apiVersion === own ? resource : versions?.(apiVersion)
  return (object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object
    if (versions === undefined) return { ...object, apiVersion }
    const from = find(object.apiVersion)
    const to = find(apiVersion)
    if (from === undefined || to === undefined) return undefined
    const atom = atomFor(to)
    if (!to.builtIn) {
      // Custom resources are only renamed: nothing drops what the other version does not know.
      const value = { ...(object.value as KubeObject), apiVersion }
      validateTyped(value, atom, true)
      return { value, apiVersion, atom }
    }
    const stored = from.toStorage?.(object.value as KubeObject) ?? (object.value as KubeObject)
    const value = to.fromStorage?.(stored) ?? stored
    return { value: { ...value, apiVersion }, apiVersion, atom }
  }
}

/**
 * The current object with a configuration applied to it, and `metadata.managedFields` as they are then
 * (`FieldManager.Apply`). The result has not been defaulted, and is a create when there is no current object.
 * Throws a StatusError: 409 when others own what it would change, 400 for a configuration of another kind or
 * with managedFields, 500 for one that does not fit its schema.
 */
export function applyServerSide(write: ApplyWrite): KubeObject {
  const { live, applied, manager, force } = write
  checkApplied(write)
  let managed: Managed
  try {
    managed = decodeManagedFields(live?.metadata.managedFields)
  } catch (error) {
    throw plainError(`failed to decode managed fields: ${(error as Error).message}`)
  }
  const current = live ?? emptyObject(write.resource)
  try {
    let result: AppliedResult
    try {
      result = apply(write, current, managed, force)
    } catch (error) {
      if (!(error instanceof ConflictsError) || manager !== 'kubectl') throw error
      result = migrate(write, current, managed, error)
    }
    let object = result.object
    if (manager === 'kubectl' && lastAppliedOf(object) !== undefined) object = withLastApplied(object, applied)
    return withManagedFields(withoutManagedFields(object), result.managed)
  } catch (error) {
    if (error instanceof TypedErrors) throw plainError(error.message)
    throw error instanceof ConflictsError ? error.toStatusError() : error
  }
}

interface AppliedResult {
  readonly object: KubeObject
  readonly managed: Managed
}

function emptyObject(resource: ManagedResource): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} }
}

function checkApplied({ resource, applied }: ApplyWrite): void {
  const apiVersion = text(applied.apiVersion)
  const kind = text(applied.kind)
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    throw newBadRequest(`invalid object type: ${kindText(apiVersion, kind)}`)
  }
}

function apply(write: ApplyWrite, live: KubeObject, decoded: Managed, force: boolean): AppliedResult {
  const { applied } = write
  const managed: Managed = { sets: decoded.sets, times: new Map(decoded.times) }
  const before = toVersioned(write, live, false)
  if (managed.sets.size === 0 && write.live !== undefined) {
    update(write, toVersioned(write, undefined, true), before, managed, beforeFirstApply)
  }
  if (applied.metadata?.managedFields !== undefined && applied.metadata.managedFields !== null) {
    throw newBadRequest('metadata.managedFields must be nil')
  }
  const config = { ...before, value: applied }
  try {
    validateTyped(applied, before.atom, false)
  } catch (error) {
    throw plainError(`failed to create typed patch object (${objectText(applied)}): ${(error as Error).message}`)
  }
  if (!write.resource.builtIn) {
    try {
      validateTyped(before.value, before.atom, true)
    } catch (error) {
      throw plainError(`failed to create typed live object (${objectText(live)}): ${(error as Error).message}`)
    }
  }
  const identifier = identify(write, write.manager, 'Apply')
  const { value, managers } = updater(write).apply(before, config, managed.sets, identifier, force)
  managed.sets = managers
  const own = managers.get(identifier)
  if (own !== undefined) {
    const set = own.set.difference(stripSet)
    if (set.isEmpty) managers.delete(identifier)
    else managers.set(identifier, { ...own, set })
  }
  if (value === undefined) return { object: live, managed }
  managed.times.set(identifier, timeText(write.now))
  return { object: value as KubeObject, managed }
}

/** kubectl takes over, without a conflict, what it applied client-side before (`lastAppliedManager`). */
function migrate(write: ApplyWrite, live: KubeObject, managed: Managed, error: ConflictsError): AppliedResult {
  const lastApplied = lastAppliedOf(live)
  const allowed = lastApplied === undefined ? undefined : allowedConflicts(toVersioned(write, live, false), lastApplied)
  if (allowed === undefined) throw error
  const others = error.conflicts.filter(({ path }) => !allowed.has(path))
  if (others.length > 0) throw new ConflictsError(others)
  return apply(write, live, managed, true)
}

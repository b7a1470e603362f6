import type { KubeObject, StoredObject } from '@freshread/core'
import type { Resource } from '../resources/resource.ts'
import { concatBytes } from './body-stream.ts'

const encoder = new TextEncoder()

/** `group/version`, or the version alone for the core group. */
export function groupVersion(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

function memo<T>(stored: StoredObject, key: unknown, make: () => T): T {
  const { forms } = stored
  let value = forms.get(key) as T | undefined
  if (value === undefined) forms.set(key, (value = make()))
  return value
}

/** The object in the version of the resource; the stored one itself where that is the same. */
export function versionedObject(stored: StoredObject, resource: Resource): KubeObject {
  const apiVersion = groupVersion(resource)
  if (resource.storageApiVersion === apiVersion && stored.object.apiVersion === apiVersion) {
    const object = resource.fromStorage(stored.object)
    if (object === stored.object) return object
  }
  return memo(stored, `object ${apiVersion}`, () => resource.fromStorage(stored.object))
}

/** The object as JSON in the version of the resource. Encoded once for all who ask. */
export function objectBytes(stored: StoredObject, resource: Resource): Uint8Array {
  const object = versionedObject(stored, resource)
  if (object === stored.object) return stored.json
  return memo(stored, `json ${groupVersion(resource)}`, () => encoder.encode(JSON.stringify(object)))
}

/** The same with a newline behind it. */
export function objectLine(stored: StoredObject, resource: Resource): Uint8Array {
  if (versionedObject(stored, resource) === stored.object) return stored.jsonLine
  return concatBytes([objectBytes(stored, resource), NEWLINE])
}

const NEWLINE = Uint8Array.of(0x0a)

/**
 * The object as an item of a list. Typed lists leave kind and apiVersion out of their items; where the
 * encoding begins with them the rest of it is used as it is. What comes back has no opening brace:
 * write {@link ITEM_OPEN} first.
 */
export function listItemBytes(stored: StoredObject, resource: Resource): Uint8Array {
  return (
    (stored.forms.get(resource) as Uint8Array | undefined) ?? memo(stored, resource, () => itemBytes(stored, resource))
  )
}

function itemBytes(stored: StoredObject, resource: Resource): Uint8Array {
  const bytes = objectBytes(stored, resource)
  if (!resource.builtIn) return bytes.subarray(1)
  for (const prefix of typePrefixes(resource)) {
    if (startsWith(bytes, prefix)) return bytes.subarray(prefix.length)
  }
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = versionedObject(stored, resource)
  return encoder.encode(JSON.stringify(rest)).subarray(1)
}

/** What comes before {@link listItemBytes}. */
export const ITEM_OPEN: number = 0x7b

const prefixes = new WeakMap<Resource, readonly Uint8Array[]>()

function typePrefixes(resource: Resource): readonly Uint8Array[] {
  let list = prefixes.get(resource)
  if (!list) {
    const kind = `"kind":${JSON.stringify(resource.kind)}`
    const apiVersion = `"apiVersion":${JSON.stringify(groupVersion(resource))}`
    list = [encoder.encode(`{${kind},${apiVersion},`), encoder.encode(`{${apiVersion},${kind},`)]
    prefixes.set(resource, list)
  }
  return list
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false
  return true
}

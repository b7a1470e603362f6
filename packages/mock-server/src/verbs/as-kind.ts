import type { KubeObject, Status } from '@freshread/core'
import { schemaOfKind } from '../resources/catalogue.ts'
import type { Resource } from '../resources/resource.ts'
import type { RequestScope, VerbResult } from './scope.ts'

const identity = (object: KubeObject): KubeObject => object

/**
 * The request as one for objects of another built-in kind, which is what a subresource or a resource without storage
 * takes: for decoding, patching and owners.
 */
export function asKind(scope: RequestScope, group: string, version: string, kind: string): RequestScope {
  const resource: Resource = {
    ...scope.resource,
    group,
    version,
    kind,
    storageKey: `${group}/${kind}`,
    storageApiVersion: group === '' ? version : `${group}/${version}`,
    schema: schemaOfKind(group, version, kind),
    strategy: {},
    builtIn: true,
    fromStorage: identity,
    toStorage: identity,
  }
  return { ...scope, resource }
}

/** A Status that says a create went well and there is nothing to show. */
export function createdStatus(): VerbResult {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return { type: 'status', code: 201, status }
}

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update' | (string & {})
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: Record<string, unknown>
  subresource?: string
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** `metadata` of an object (`apimachinery: pkg/apis/meta/v1/types.go`). */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string | null
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

/** Any Kubernetes object, as JSON has it. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** A resource and its API group; the core group is `''`. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** Prints `resource.group`, or `resource` alone for the core group (`schema.GroupResource.String`). */
export function groupResourceText(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`
}

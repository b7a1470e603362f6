import type { GroupResource, KubeObject } from '@freshread/core'
import type { SchemaNode } from './schema.ts'
import type { Strategy } from './strategy.ts'

/** One column of a Table (`meta.k8s.io/v1: TableColumnDefinition`). */
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description?: string
  readonly priority: number
}

/** How a kind is shown as a Table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[]
  /** Cells of one object, in the order of the columns. `now` in milliseconds since the epoch. */
  readonly cells: (object: KubeObject, now: number) => readonly unknown[]
  /** Conditions of an object's row, such as that a pod has completed. */
  readonly conditions?: (object: KubeObject) => readonly unknown[] | undefined
  /** An empty list has `null` for rows, as tables without a printer of their own have. */
  readonly emptyRowsAreNull?: boolean
  /** In which order a list's rows come, where it is not the list's. */
  readonly order?: (a: KubeObject, b: KubeObject) => number
  /** For kinds whose rows depend on each other (the default StorageClass): the cells to use for these objects. */
  readonly forList?: (objects: readonly KubeObject[]) => TablePrinter['cells']
}

/** One subresource, as discovery tells it. */
export interface SubresourceInfo {
  readonly name: string
  /** The kind it takes and gives: `Scale`, `Eviction`, or the parent's own for `status`. */
  readonly kind: string
  readonly group: string
  readonly version: string
  readonly verbs: readonly string[]
}

/** How the `scale` subresource reads and writes an object (`autoscaling/v1: Scale`). Functions throw an Error for fields of another type. */
export interface ScaleAccess {
  /** Where the wanted replicas are: `['spec', 'replicas']`. */
  readonly specReplicasPath: readonly string[]
  /** `replicas` is undefined where the object does not say. */
  readonly read: (object: KubeObject) => {
    readonly replicas: number | undefined
    readonly statusReplicas: number
    readonly selector: string
  }
  /** A copy with the wanted replicas set. */
  readonly write: (object: KubeObject, replicas: number) => KubeObject
}

/**
 * One resource in one version, built-in or from a CustomResourceDefinition: everything that the verbs need
 * to know of it. Resources with the same {@link Resource.storageKey} share their objects.
 */
export interface Resource extends GroupResource {
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: ReadonlyMap<string, SubresourceInfo>
  readonly storageVersionHash: string | undefined
  /** Prefix of its keys in the storage, without `/registry`: `/services/specs`. */
  readonly storagePrefix: string
  /** Identifies the shared storage: `apps/deployments`. */
  readonly storageKey: string
  /** apiVersion that objects are stored in. */
  readonly storageApiVersion: string
  readonly schema: SchemaNode | undefined
  readonly strategy: Strategy
  readonly printer: TablePrinter
  /** Where there is a `scale` subresource that is not the kind's own code. */
  readonly scale?: ScaleAccess | undefined
  /** Texts for the `Warning` header of every request (a deprecated version). */
  readonly requestWarnings?: readonly string[]
  /** Not from a CRD: typed kinds print lists and zero values differently. */
  readonly builtIn: boolean
  /** Between the stored version and this one; identity where both are the same. The input is not changed. */
  readonly fromStorage: (object: KubeObject) => KubeObject
  readonly toStorage: (object: KubeObject) => KubeObject
}

import type { Resource } from './resource.ts'

/** One API group with its served versions. */
export interface ApiGroup {
  /** `''` for the core group. */
  readonly name: string
  /** Best first; the first is the preferred one. */
  readonly versions: readonly string[]
  /** Served by the built-in handlers; groups that exist only through CustomResourceDefinitions are not. */
  readonly builtIn: boolean
}

/**
 * Everything that is served: what requests are routed by and what discovery tells. It changes while the
 * server runs, as CustomResourceDefinitions come and go.
 */
export interface ResourceRegistry {
  /** In the order of discovery, the core group first. */
  readonly groups: () => readonly ApiGroup[]
  /** Resources of a group version in the order of discovery; empty when it is not served. */
  readonly resources: (group: string, version: string) => readonly Resource[]
  readonly find: (group: string, version: string, resource: string) => Resource | undefined
  /** Grows with each change, so that documents made from the registry can be kept until then. */
  readonly generation: () => number
}

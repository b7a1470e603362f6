import type { ApiGroup, ResourceRegistry } from './registry.ts'
import type { Resource } from './resource.ts'

interface Version {
  readonly resources: Map<string, Resource>
}

interface Group {
  readonly builtIn: boolean
  /** Preferred version first. */
  readonly versions: Map<string, Version>
}

const NONE: readonly Resource[] = []

/** The registry of a server: built-in resources for good, those of CustomResourceDefinitions as they come and go. */
export class MutableRegistry implements ResourceRegistry {
  readonly #groups = new Map<string, Group>()
  readonly #listeners = new Set<() => void>()
  #generation = 0
  #list: readonly ApiGroup[] | undefined

  /** @param builtIn in the order of discovery */
  constructor(builtIn: Iterable<Resource>) {
    for (const resource of builtIn) this.#put(resource, true)
    this.#changed()
  }

  readonly generation = (): number => this.#generation

  readonly groups = (): readonly ApiGroup[] =>
    (this.#list ??= [...this.#groups].map(([name, group]) => ({
      name,
      versions: [...group.versions.keys()],
      builtIn: group.builtIn,
    })))

  readonly resources = (group: string, version: string): readonly Resource[] => {
    const resources = this.#groups.get(group)?.versions.get(version)?.resources
    return resources === undefined ? NONE : [...resources.values()]
  }

  readonly find = (group: string, version: string, resource: string): Resource | undefined =>
    this.#groups.get(group)?.versions.get(version)?.resources.get(resource)

  /** A resource in the version its group prefers. */
  preferred(group: string, resource: string): Resource | undefined {
    for (const version of this.#groups.get(group)?.versions.values() ?? []) {
      const found = version.resources.get(resource)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The resource that has this kind. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    for (const resource of this.#groups.get(group)?.versions.get(version)?.resources.values() ?? NONE) {
      if (resource.kind === kind) return resource
    }
    return undefined
  }

  /** Every resource in every version. */
  all(): Resource[] {
    const out: Resource[] = []
    for (const group of this.#groups.values()) {
      for (const version of group.versions.values()) out.push(...version.resources.values())
    }
    return out
  }

  /**
   * Replaces all resources that are not built in. `resources` come in the order of discovery, each group's
   * preferred version first.
   */
  replaceCustom(resources: Iterable<Resource>): void {
    for (const [name, group] of this.#groups) {
      if (!group.builtIn) this.#groups.delete(name)
      else {
        for (const version of group.versions.values()) {
          for (const [key, resource] of version.resources) if (!resource.builtIn) version.resources.delete(key)
        }
      }
    }
    for (const resource of resources) this.#put(resource, false)
    this.#changed()
  }

  /** Calls `listener` after every change; the function returned takes it back. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #put(resource: Resource, builtIn: boolean): void {
    let group = this.#groups.get(resource.group)
    if (group === undefined) this.#groups.set(resource.group, (group = { builtIn, versions: new Map() }))
    let version = group.versions.get(resource.version)
    if (version === undefined) group.versions.set(resource.version, (version = { resources: new Map() }))
    version.resources.set(resource.resource, resource)
  }

  #changed(): void {
    this.#generation++
    this.#list = undefined
    for (const listener of this.#listeners) listener()
  }
}

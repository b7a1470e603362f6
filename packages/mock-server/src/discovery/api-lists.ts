import type { ApiGroup, ResourceRegistry } from '../resources/registry.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'

type Document = Readonly<Record<string, unknown>>

/** `/api` (`meta/v1: APIVersions`). */
export function apiVersions(serverAddress: string): Document {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

function groupBody(group: ApiGroup): Document {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.name}/${version}`, version }))
  return { name: group.name, versions, preferredVersion: versions[0] }
}

/** `/apis` (`meta/v1: APIGroupList`): all groups but the core group. */
export function apiGroupList(registry: ResourceRegistry): Document {
  const groups = registry.groups().filter((group) => group.name !== '' && group.builtIn)
  // Groups of custom resources stand in the order of their APIServices' names: `v1.example.com`.
  const first = (group: ApiGroup): string => group.versions.map((version) => `${version}.${group.name}`).sort()[0] ?? ''
  const custom = registry.groups().filter((group) => !group.builtIn)
  groups.push(...custom.toSorted((a, b) => (first(a) < first(b) ? -1 : 1)))
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupBody) }
}

/** `/apis/GROUP` (`meta/v1: APIGroup`). */
export function apiGroup(group: ApiGroup): Document {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) }
}

/** Whether a subresource speaks of another group version than its parent. */
function isForeign(resource: Resource, subresource: SubresourceInfo): boolean {
  return subresource.group !== resource.group || subresource.version !== resource.version
}

function nonEmpty(name: string, list: readonly string[]): Document {
  return list.length === 0 ? {} : { [name]: list }
}

/** `/api/v1` and `/apis/GROUP/VERSION` (`meta/v1: APIResourceList`). */
export function apiResourceList(group: string, version: string, resources: readonly Resource[]): Document {
  return {
    kind: 'APIResourceList',
    // The core group's handler has never said it.
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.flatMap((resource) => [
      {
        name: resource.resource,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        verbs: resource.verbs,
        ...nonEmpty('shortNames', resource.shortNames),
        ...nonEmpty('categories', resource.categories),
        ...(resource.storageVersionHash !== undefined && { storageVersionHash: resource.storageVersionHash }),
      },
      ...[...resource.subresources.values()].map((subresource) => ({
        name: `${resource.resource}/${subresource.name}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...(isForeign(resource, subresource) && { group: subresource.group, version: subresource.version }),
        kind: subresource.kind,
        verbs: subresource.verbs,
      })),
    ]),
  }
}

/** What `/api` and `/apis` answer to those who ask for everything at once (`apidiscovery.k8s.io/v2: APIGroupDiscoveryList`). */
export function apiGroupDiscoveryList(registry: ResourceRegistry, core: boolean): Document {
  const groups = registry.groups().filter((group) => (group.name === '') === core)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.name === '' ? {} : { name: group.name },
      versions: group.versions.map((version) => ({
        version,
        resources: sorted(registry.resources(group.name, version)).map(resourceDiscovery),
        freshness: 'Current',
      })),
    })),
  }
}

function sorted(resources: readonly Resource[]): readonly Resource[] {
  return resources.toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}

function resourceDiscovery(resource: Resource): Document {
  const subresources = [...resource.subresources.values()].map((subresource) => ({
    subresource: subresource.name,
    responseKind: responseKind(resource, subresource),
    verbs: subresource.verbs,
  }))
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...nonEmpty('shortNames', resource.shortNames),
    ...nonEmpty('categories', resource.categories),
    ...(subresources.length > 0 && { subresources }),
  }
}

/** Built-in kinds name their group version only where it is not the one they are listed in. */
function responseKind(
  resource: Resource,
  what: { readonly group: string; readonly version: string; readonly kind: string },
): Document {
  const own = resource.builtIn && what.group === resource.group && what.version === resource.version
  return { group: own ? '' : what.group, version: own ? '' : what.version, kind: what.kind }
}

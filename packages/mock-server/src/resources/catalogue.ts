import resourceLists from '../../data/resources.json' with { type: 'json' }
import components from '../../data/schemas.json' with { type: 'json' }
import { conversionFor } from './conversion.ts'
import type { Resource, SubresourceInfo, TablePrinter } from './resource.ts'
import { resolveSchema, type RawSchema, type SchemaNode } from './schema.ts'
import type { Strategy } from './strategy.ts'

/** What the catalogue asks of the folders that know kinds and tables. */
export interface CatalogueParts {
  readonly strategyFor: (group: string, resource: string, version: string) => Strategy
  readonly printerFor: (group: string, version: string, resource: string) => TablePrinter
}

interface ApiResource {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

interface ApiResourceList {
  readonly groupVersion: string
  readonly resources: readonly ApiResource[]
}

interface ApiGroupData {
  readonly name: string
  readonly versions: readonly { readonly version: string }[]
}

const data = resourceLists as unknown as {
  readonly groups: readonly ApiGroupData[]
  readonly lists: Readonly<Record<string, ApiResourceList>>
}
const schemaComponents = components as unknown as Readonly<Record<string, RawSchema>>

/**
 * Where objects live below `/registry`, for kinds whose prefix is not their name
 * (`pkg/kubeapiserver/default_storage_factory_builder.go: SpecialDefaultResourcePrefixes`; the last two come from
 * API servers of their own, which put their group in front).
 */
const SPECIAL_PREFIXES: Readonly<Record<string, string>> = {
  '/replicationcontrollers': '/controllers',
  '/endpoints': '/services/endpoints',
  '/nodes': '/minions',
  '/services': '/services/specs',
  'networking.k8s.io/ingresses': '/ingress',
  'apiextensions.k8s.io/customresourcedefinitions': '/apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': '/apiregistration.k8s.io/apiservices',
}

/** Resources of two groups that are one in the storage (`AddCohabitatingResources`). */
const COHABITATING: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' }

/** Versions that objects are stored in, where a group has several or another group stores them. */
const STORAGE_VERSIONS: Readonly<Record<string, string>> = {
  '/events': 'v1',
  'autoscaling/horizontalpodautoscalers': 'autoscaling/v2',
}

/** What users of deprecated kinds are told with every answer. */
const DEPRECATIONS: Readonly<Record<string, string>> = {
  '/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
  '/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
}

/** API groups in the order the real server lists them, the core group first. */
export const builtInGroups: readonly { readonly name: string; readonly versions: readonly string[] }[] = [
  { name: '', versions: ['v1'] },
  ...data.groups.map((group) => ({ name: group.name, versions: group.versions.map((v) => v.version) })),
]

/** The component schemas of all built-in kinds, by name (`io.k8s.api.core.v1.Pod`). */
export const builtInSchemas: Readonly<Record<string, RawSchema>> = schemaComponents

let kindSchemas: ReadonlyMap<string, SchemaNode> | undefined

/** The schema of a built-in kind; `undefined` where the published data has none. */
export function schemaOfKind(group: string, version: string, kind: string): SchemaNode | undefined {
  kindSchemas ??= indexKinds()
  return kindSchemas.get(`${group}/${version}/${kind}`)
}

function indexKinds(): ReadonlyMap<string, SchemaNode> {
  const index = new Map<string, SchemaNode>()
  for (const raw of Object.values(schemaComponents)) {
    const kinds = raw['x-kubernetes-group-version-kind'] as
      | { group: string; version: string; kind: string }[]
      | undefined
    for (const gvk of kinds ?? []) {
      const key = `${gvk.group}/${gvk.version}/${gvk.kind}`
      if (!index.has(key)) index.set(key, resolveSchema(raw, schemaComponents))
    }
  }
  return index
}

/** Makes the {@link Resource}s of all built-in kinds, in discovery's order. */
export function builtInResources(parts: CatalogueParts): Resource[] {
  const out: Resource[] = []
  for (const group of builtInGroups) {
    for (const version of group.versions) {
      const list = data.lists[group.name === '' ? `/api/${version}` : `/apis/${group.name}/${version}`]
      if (list !== undefined) out.push(...resourcesOf(group.name, version, list, parts))
    }
  }
  return out
}

function resourcesOf(group: string, version: string, list: ApiResourceList, parts: CatalogueParts): Resource[] {
  const subresources = new Map<string, Map<string, SubresourceInfo>>()
  for (const entry of list.resources) {
    const slash = entry.name.indexOf('/')
    if (slash < 0) continue
    const parent = entry.name.slice(0, slash)
    const name = entry.name.slice(slash + 1)
    const info: SubresourceInfo = {
      name,
      kind: entry.kind,
      group: entry.group ?? (entry.version === undefined ? group : ''),
      version: entry.version ?? version,
      verbs: entry.verbs,
    }
    let of = subresources.get(parent)
    if (of === undefined) subresources.set(parent, (of = new Map()))
    of.set(name, info)
  }
  return list.resources
    .filter((entry) => !entry.name.includes('/'))
    .map((entry) => makeResource(group, version, entry, subresources.get(entry.name) ?? new Map(), parts))
}

function makeResource(
  group: string,
  version: string,
  entry: ApiResource,
  subresources: ReadonlyMap<string, SubresourceInfo>,
  parts: CatalogueParts,
): Resource {
  const ownKey = `${group}/${entry.name}`
  const storageKey = COHABITATING[ownKey] ?? ownKey
  const apiVersion = group === '' ? version : `${group}/${version}`
  const storageApiVersion = STORAGE_VERSIONS[storageKey] ?? apiVersion
  const deprecation = DEPRECATIONS[ownKey]
  const conversion = conversionFor(storageKey, apiVersion, storageApiVersion)
  // Strategies and printers are looked at when a kind is first used: a server starts before it needs them all.
  let strategy: Strategy | undefined
  let printer: TablePrinter | undefined
  return {
    group,
    version,
    resource: entry.name,
    kind: entry.kind,
    listKind: `${entry.kind}List`,
    singular: entry.singularName,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    subresources,
    storageVersionHash: entry.storageVersionHash,
    storagePrefix: SPECIAL_PREFIXES[storageKey] ?? `/${entry.name}`,
    storageKey,
    storageApiVersion,
    builtIn: true,
    ...(deprecation !== undefined && { requestWarnings: [deprecation] }),
    fromStorage: conversion.fromStorage,
    toStorage: conversion.toStorage,
    get schema(): SchemaNode | undefined {
      return schemaOfKind(group, version, entry.kind)
    },
    get strategy(): Strategy {
      return (strategy ??= parts.strategyFor(group, entry.name, version))
    },
    get printer(): TablePrinter {
      return (printer ??= parts.printerFor(group, version, entry.name))
    },
  }
}

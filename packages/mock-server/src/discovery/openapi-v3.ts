import { MEDIA_TYPES } from '../api/negotiation.ts'
import type { ResourceRegistry } from '../resources/registry.ts'
import type { Resource } from '../resources/resource.ts'
import type { RawSchema } from '../resources/schema.ts'
import { contentHash } from './content-hash.ts'
import { resourcePaths, type Gvk } from './openapi-operations.ts'

type Components = Readonly<Record<string, RawSchema>>

/** A document as it is sent. */
export interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

const INFO = { title: 'Kubernetes', version: '1.37' }
const CUSTOM_INFO = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
const SECURITY = { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } }
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Parts of the API that are no group version, with the kind they answer. */
const OTHER_DOCUMENTS: Readonly<Record<string, { readonly path: string; readonly schema?: string }>> = {
  '.well-known/openid-configuration': { path: '/.well-known/openid-configuration/' },
  api: { path: '/api/', schema: `${META}.APIVersions` },
  apis: { path: '/apis/', schema: `${META}.APIGroupList` },
  'openid/v1/jwks': { path: '/openid/v1/jwks/' },
  version: { path: '/version/', schema: 'io.k8s.apimachinery.pkg.version.Info' },
}

/** OpenAPI v3 documents of everything that a registry serves, made when first asked for and kept until it changes. */
export class OpenApiV3 {
  readonly #registry: ResourceRegistry
  readonly #components: Components
  #byGvk: ReadonlyMap<string, string> | undefined
  #documents = new Map<string, OpenApiDocument>()
  #index: string | undefined
  #generation = -1

  /** @param components schemas of all built-in kinds by name */
  constructor(registry: ResourceRegistry, components: Components) {
    this.#registry = registry
    this.#components = components
  }

  /** Changes with the documents (`ResourceRegistry.generation`). */
  generation(): number {
    return this.#registry.generation()
  }

  #refresh(): void {
    const generation = this.#registry.generation()
    if (generation === this.#generation) return
    this.#generation = generation
    this.#documents = new Map()
    this.#index = undefined
  }

  /** Names of all documents: `api/v1`, `apis/apps/v1`, `version`. */
  names(): readonly string[] {
    const names = Object.keys(OTHER_DOCUMENTS)
    for (const group of this.#registry.groups()) {
      if (group.name === '') names.push(...group.versions.map((version) => `api/${version}`))
      else names.push(`apis/${group.name}`, ...group.versions.map((version) => `apis/${group.name}/${version}`))
    }
    return names.sort()
  }

  /** The index at `/openapi/v3`. Its URLs change when their documents do. */
  index(): string {
    this.#refresh()
    return (this.#index ??= JSON.stringify({
      paths: Object.fromEntries(
        this.names()
          // A group of custom resources has documents of its versions only.
          .filter((name) => this.#has(name))
          .map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${this.#hash(name)}` }]),
      ),
    }))
  }

  #has(name: string): boolean {
    const group = /^apis\/([^/]+)$/.exec(name)?.[1]
    return (
      group === undefined || this.#registry.groups().some((candidate) => candidate.name === group && candidate.builtIn)
    )
  }

  /** A hash that is cheaper than the document: of what it is made from. */
  #hash(name: string): string {
    const resources = this.#resourcesOf(name)
    if (resources.every((resource) => resource.builtIn)) return contentHash(`${INFO.version} ${name}`)
    return contentHash(`${name} ${resources.map((resource) => JSON.stringify(resource.schema?.raw ?? {})).join(' ')}`)
  }

  #resourcesOf(name: string): readonly Resource[] {
    const [prefix, ...rest] = name.split('/')
    if (prefix === 'api' && rest.length === 1) return this.#registry.resources('', rest[0]!)
    return prefix === 'apis' && rest.length === 2 ? this.#registry.resources(rest[0]!, rest[1]!) : []
  }

  /** The document of that name; `undefined` when there is none. */
  document(name: string): OpenApiDocument | undefined {
    this.#refresh()
    let document = this.#documents.get(name)
    if (document || !this.names().includes(name) || !this.#has(name)) return document
    document = { text: JSON.stringify(this.#make(name)), hash: this.#hash(name) }
    this.#documents.set(name, document)
    return document
  }

  #make(name: string): unknown {
    const other = OTHER_DOCUMENTS[name]
    const group = /^apis\/([^/]+)$/.exec(name)?.[1]
    if (other || group !== undefined) {
      const path = other?.path ?? `/${name}/`
      return this.#document(
        { [path]: { get: getOperation(name, this.#known(group === undefined ? other?.schema : `${META}.APIGroup`)) } },
        {},
      )
    }
    const resources = this.#resourcesOf(name)
    const own: Record<string, RawSchema> = {}
    for (const resource of resources) if (!resource.builtIn) Object.assign(own, customSchemas(resource))
    const paths: Record<string, unknown> = {}
    // Documents of custom resources leave their own discovery out.
    if (resources.every((resource) => resource.builtIn)) {
      paths[`/${name}/`] = { get: getOperation(name, this.#known(`${META}.APIResourceList`)) }
    }
    for (const resource of resources) {
      Object.assign(
        paths,
        resourcePaths(resource, (gvk) => this.#schemaName(gvk) ?? customSchemaName(own, gvk)),
      )
    }
    return this.#document(paths, own, resources.every((resource) => resource.builtIn) ? INFO : CUSTOM_INFO)
  }

  #known(schema: string | undefined): string | undefined {
    return schema !== undefined && schema in this.#components ? schema : undefined
  }

  #document(paths: Readonly<Record<string, unknown>>, own: Components, info: typeof INFO = INFO): unknown {
    const schemas = this.#closure({ paths, own }, own)
    const sortedPaths = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)))
    return {
      openapi: '3.0.0',
      info,
      paths: sortedPaths,
      components: { schemas, ...(info === INFO && { securitySchemes: SECURITY }) },
    }
  }

  /** All schemas that `value` refers to, directly or through others. */
  #closure(value: unknown, own: Components): Components {
    const found = new Map<string, RawSchema>(Object.entries(own))
    const visit = (part: unknown): void => {
      if (Array.isArray(part)) for (const item of part) visit(item)
      else if (typeof part === 'object' && part !== null) {
        for (const [key, inner] of Object.entries(part)) {
          if (key !== '$ref' || typeof inner !== 'string') {
            visit(inner)
            continue
          }
          const name = inner.slice(inner.lastIndexOf('/') + 1)
          const schema = this.#components[name]
          if (found.has(name) || !schema) continue
          found.set(name, schema)
          visit(schema)
        }
      }
    }
    visit(value)
    return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #schemaName(gvk: Gvk): string | undefined {
    if (!this.#byGvk) {
      const byGvk = new Map<string, string>()
      for (const [name, schema] of Object.entries(this.#components)) {
        const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as readonly Gvk[]
        for (const { group, version, kind } of kinds)
          if (!byGvk.has(`${group}/${version} ${kind}`)) byGvk.set(`${group}/${version} ${kind}`, name)
      }
      this.#byGvk = byGvk
    }
    return this.#byGvk.get(`${gvk.group}/${gvk.version} ${gvk.kind}`)
  }
}

const OTHER_OPERATIONS: Readonly<Record<string, readonly [tag: string, id: string]>> = {
  '.well-known/openid-configuration': ['WellKnown', 'getServiceAccountIssuerOpenIDConfiguration'],
  api: ['core', 'getCoreAPIVersions'],
  apis: ['apis', 'getAPIVersions'],
  'openid/v1/jwks': ['openid', 'getServiceAccountIssuerOpenIDKeyset'],
  version: ['version', 'getCodeVersion'],
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Tag and id of the operation that reads a document of discovery: `apps_v1`, `getAppsV1APIResources`. */
function operationName(name: string): readonly [tag: string, id: string] {
  const other = OTHER_OPERATIONS[name]
  if (other) return other
  const [prefix, ...rest] = name.split('/')
  const group = prefix === 'api' ? 'core' : rest.shift()!.split('.')[0]!
  const version = rest[0]
  return version === undefined
    ? [group, `get${capital(group)}APIGroup`]
    : [`${group}_${version}`, `get${capital(group)}${capital(version)}APIResources`]
}

function getOperation(name: string, schema: string | undefined): unknown {
  const [tag, operationId] = operationName(name)
  const media = schema === undefined ? undefined : { schema: { $ref: `#/components/schemas/${schema}` } }
  const answer = media && { content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, media])) }
  return {
    tags: [tag],
    operationId,
    responses: { 200: { description: 'OK', ...answer }, 401: { description: 'Unauthorized' } },
  }
}

/** `com.example.stable.v1.CronTab`: the group's labels the other way round. */
function customName(resource: Resource, kind: string): string {
  return [...resource.group.split('.').toReversed(), resource.version, kind].join('.')
}

const TYPES = { apiVersion: { type: 'string' }, kind: { type: 'string' } }
const OBJECT_META = { allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }] }

/** A schema of a CustomResourceDefinition as clients are shown it: what its extensions mean is spelled out. */
function publishedSchema(schema: RawSchema): RawSchema {
  const out: Record<string, unknown> = { ...schema }
  const { properties, items, additionalProperties } = schema
  if (properties) {
    out['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, publishedSchema(inner)]),
    )
  }
  if (items) out['items'] = publishedSchema(items)
  if (typeof additionalProperties === 'object') out['additionalProperties'] = publishedSchema(additionalProperties)
  if (schema['x-kubernetes-int-or-string'] === true) out['anyOf'] ??= [{ type: 'integer' }, { type: 'string' }]
  if (schema['x-kubernetes-embedded-resource'] === true) {
    out['properties'] = { ...(out['properties'] as object | undefined), ...TYPES, metadata: OBJECT_META }
    out['required'] = [...new Set([...(schema.required ?? []), 'kind', 'apiVersion'])]
  }
  return out
}

/** Schemas of a custom resource and of its list (`apiextensions: pkg/controller/openapi/builder`). */
function customSchemas(resource: Resource): Record<string, RawSchema> {
  const { group, version, kind, listKind } = resource
  const raw = publishedSchema(resource.schema?.raw ?? { type: 'object' })
  const item: RawSchema = {
    ...raw,
    type: 'object',
    properties: {
      ...raw.properties,
      ...TYPES,
      metadata: OBJECT_META,
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  }
  const list: RawSchema = {
    type: 'object',
    required: ['items'],
    properties: {
      ...TYPES,
      items: { type: 'array', items: { $ref: `#/components/schemas/${customName(resource, kind)}` } },
      metadata: { allOf: [{ $ref: `#/components/schemas/${META}.ListMeta` }] },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  }
  return { [customName(resource, kind)]: item, [customName(resource, listKind)]: list }
}

function customSchemaName(schemas: Components, gvk: Gvk): string | undefined {
  for (const [name, schema] of Object.entries(schemas)) {
    const [kind] = schema['x-kubernetes-group-version-kind'] as readonly Gvk[]
    if (kind && kind.group === gvk.group && kind.version === gvk.version && kind.kind === gvk.kind) return name
  }
  return undefined
}

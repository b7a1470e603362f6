import type { KubeObject } from '@freshread/core'
import { builtInSchemas } from '../catalogue.ts'
import type { Resource, SubresourceInfo } from '../resource.ts'
import { resolveSchema, type SchemaNode } from '../schema.ts'
import { isConditionTrue } from './definition/conditions.ts'
import { deepEqual } from './correlated-object.ts'
import { applyDefaults, copyJson } from './defaulting.ts'
import { compareKubeVersions } from './kube-version.ts'
import { customPrinter } from './printer.ts'
import { scaleAccess } from './scale.ts'
import { schemaVersions, type SchemaVersion } from './schema-version.ts'
import { storageVersionHash } from './storage-version-hash.ts'
import { coerceObject, customResourceStrategy } from './strategy.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionSpec, JsonSchemaProps } from './types.ts'

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

/** The key that objects of a definition share a storage by, whatever their version. */
export function storageKeyOf(crd: CustomResourceDefinition): string {
  return `${crd.spec?.group ?? ''}/${crd.spec?.names?.plural ?? ''}`
}

/** The resources that a definition makes, one for each version that is served, the best version first; none before it is established. */
export function customResources(crd: CustomResourceDefinition): Resource[] {
  if (!isConditionTrue(crd, 'Established') || !crd.status?.acceptedNames?.plural) return []
  const versions = [...schemaVersions(crd).values()]
  const storage = versions.find(({ version }) => version.storage === true)
  if (storage === undefined) return []
  return versions
    .filter(({ version }) => version.served === true)
    .sort((a, b) => compareKubeVersions(a.name, b.name))
    .map((version) => customResource(crd, version, storage))
}

function customResource(crd: CustomResourceDefinition, version: SchemaVersion, storage: SchemaVersion): Resource {
  const { group = '', scope } = crd.spec ?? {}
  const {
    plural = '',
    singular = '',
    shortNames = [],
    kind = '',
    listKind = '',
    categories = [],
  } = crd.status?.acceptedNames ?? {}
  const terminating = isConditionTrue(crd, 'Terminating')
  const apiVersion = `${group}/${version.name}`
  const storageApiVersion = `${group}/${storage.name}`
  const fromStorage = versionReader(schemaVersions(crd), version, apiVersion, crd.spec?.preserveUnknownFields === true)
  const { scale } = version.subresources
  const warnings = deprecationWarnings(crd.spec ?? {}, version)
  let schema: SchemaNode | undefined
  return {
    group,
    version: version.name,
    resource: plural,
    kind,
    listKind,
    singular,
    shortNames,
    categories,
    namespaced: scope === 'Namespaced',
    verbs: terminating ? terminatingVerbs : allVerbs,
    subresources: subresourcesOf(group, kind, version),
    storageVersionHash:
      storage.version.served === true
        ? storageVersionHash(group, storage.name, crd.spec?.names?.kind ?? '')
        : undefined,
    storagePrefix: `/${group}/${plural}`,
    storageKey: storageKeyOf(crd),
    storageApiVersion,
    strategy: customResourceStrategy(crd, version.name, { read: fromStorage }),
    printer: customPrinter(version.version.additionalPrinterColumns),
    ...(scale !== undefined && { scale: scaleAccess(scale) }),
    ...(warnings.length > 0 && { requestWarnings: warnings }),
    builtIn: false,
    fromStorage,
    toStorage: (object) =>
      object.apiVersion === storageApiVersion ? object : { ...object, apiVersion: storageApiVersion },
    get schema(): SchemaNode | undefined {
      return (schema ??= schemaNode(version.schema))
    },
  }
}

function subresourcesOf(group: string, kind: string, version: SchemaVersion): ReadonlyMap<string, SubresourceInfo> {
  const subresources = new Map<string, SubresourceInfo>()
  if (version.hasStatus) {
    subresources.set('status', { name: 'status', kind, group, version: version.name, verbs: subresourceVerbs })
  }
  if (version.subresources.scale !== undefined) {
    subresources.set('scale', {
      name: 'scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: subresourceVerbs,
    })
  }
  return subresources
}

/** The schema as patches, managed fields and documents see it, with the metadata that every object has. */
function schemaNode(schema: JsonSchemaProps | undefined): SchemaNode | undefined {
  if (schema === undefined) return undefined
  const text = { type: 'string' }
  return resolveSchema(
    {
      ...schema,
      properties: {
        ...schema.properties,
        apiVersion: text,
        kind: text,
        metadata: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      },
    },
    builtInSchemas,
  )
}

/**
 * Reads stored objects in a version: by the present schema of the version they were written in, which may not be the
 * one they were written by. Only the apiVersion changes, and what the other version does not know goes.
 */
function versionReader(
  versions: ReadonlyMap<string, SchemaVersion>,
  version: SchemaVersion,
  apiVersion: string,
  preserveUnknownFields: boolean,
): (object: KubeObject) => KubeObject {
  return remembered((object) => {
    const copy = copyJson(object)
    const written = versions.get((object.apiVersion ?? '').replace(/^.*\//, '')) ?? version
    coerceStored(copy, written, preserveUnknownFields)
    applyDefaults(copy, written.schema)
    if (object.apiVersion === apiVersion) return deepEqual(copy, object) ? object : copy
    copy.apiVersion = apiVersion
    coerceStored(copy, version, preserveUnknownFields)
    return copy
  })
}

function coerceStored(object: KubeObject, version: SchemaVersion, preserveUnknownFields: boolean): void {
  const { metadata } = object
  coerceObject(object, version, preserveUnknownFields)
  object.metadata = metadata
}

/** Objects that are stored never change: what was made of one is kept as long as it. */
function remembered(make: (object: KubeObject) => KubeObject): (object: KubeObject) => KubeObject {
  const made = new WeakMap<KubeObject, KubeObject>()
  return (object) => {
    let result = made.get(object)
    if (result === undefined) {
      result = make(object)
      made.set(object, result)
    }
    return result
  }
}

/** What users of a deprecated version are told (`pkg/apiserver: customresource_handler.go: defaultDeprecationWarning`). */
function deprecationWarnings(spec: CustomResourceDefinitionSpec, { name, version }: SchemaVersion): readonly string[] {
  if (version.deprecated !== true) return []
  if (version.deprecationWarning !== undefined) return [version.deprecationWarning]
  const { group = '', names = {}, versions = [] } = spec
  const { kind = '' } = names
  const [better] = versions
    .filter((other) => other.served === true && other.deprecated !== true)
    .map((other) => other.name ?? '')
    .filter((other) => compareKubeVersions(other, name) < 0)
    .sort(compareKubeVersions)
  const text = `${group}/${name} ${kind} is deprecated`
  return [better === undefined ? text : `${text}; use ${group}/${better} ${kind}`]
}

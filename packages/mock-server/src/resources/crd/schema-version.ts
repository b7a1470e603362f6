import type { CelValidator } from './cel/validator.ts'
import { newCelValidator } from './cel/validator.ts'
import { pruneDefaults } from './defaulting.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JsonSchemaProps,
} from './types.ts'

/** One version of a definition, with what is made of its schema once. */
export class SchemaVersion {
  readonly name: string
  /** Defaults are pruned by the schema itself; undefined where nothing is pruned or validated. */
  readonly schema: JsonSchemaProps | undefined
  readonly subresources: CustomResourceSubresources
  readonly version: CustomResourceDefinitionVersion
  #cel: CelValidator | undefined
  #compiled = false

  constructor(version: CustomResourceDefinitionVersion, preserveUnknownFields: boolean) {
    const schema = version.schema?.openAPIV3Schema
    this.name = version.name ?? ''
    this.version = version
    this.subresources = version.subresources ?? {}
    this.schema = schema === undefined || preserveUnknownFields ? schema : pruneDefaults(schema)
  }

  get hasStatus(): boolean {
    return this.subresources.status !== undefined
  }

  /** The compiled rules of the schema; compiled when first asked for. */
  get cel(): CelValidator | undefined {
    if (!this.#compiled) {
      this.#compiled = true
      this.#cel = this.schema === undefined ? undefined : newCelValidator(this.schema, true)
    }
    return this.#cel
  }
}

const known = new WeakMap<object, ReadonlyMap<string, SchemaVersion>>()

/** The versions of a definition by name; made once for each spec. */
export function schemaVersions(crd: CustomResourceDefinition): ReadonlyMap<string, SchemaVersion> {
  const spec = crd.spec ?? {}
  let versions = known.get(spec)
  if (versions === undefined) {
    const preserve = spec.preserveUnknownFields === true
    versions = new Map(
      (spec.versions ?? []).map((version) => [version.name ?? '', new SchemaVersion(version, preserve)]),
    )
    known.set(spec, versions)
  }
  return versions
}

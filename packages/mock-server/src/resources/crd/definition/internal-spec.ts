import { deepEqual } from '../correlated-object.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JsonSchemaProps,
  SelectableField,
} from '../types.ts'

/**
 * A definition's spec in the form that is validated (`pkg/apis/apiextensions: CustomResourceDefinitionSpec`):
 * what is the same in all versions stands at the top and not in the versions. Error paths follow it.
 */
export interface InternalSpec {
  readonly group: string
  readonly version: string
  readonly names: CustomResourceDefinitionNames
  readonly scope: string
  readonly validation: Validation | undefined
  readonly subresources: CustomResourceSubresources | undefined
  readonly versions: readonly InternalVersion[]
  readonly additionalPrinterColumns: readonly CustomResourceColumnDefinition[] | undefined
  readonly selectableFields: readonly SelectableField[] | undefined
  readonly conversion: CustomResourceConversion | undefined
  readonly preserveUnknownFields: boolean
}

export interface Validation {
  readonly openAPIV3Schema?: JsonSchemaProps
}

export interface InternalVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated: boolean
  readonly deprecationWarning: string | undefined
  readonly schema: Validation | undefined
  readonly subresources: CustomResourceSubresources | undefined
  readonly additionalPrinterColumns: readonly CustomResourceColumnDefinition[] | undefined
  readonly selectableFields: readonly SelectableField[] | undefined
}

/** `pkg/apis/apiextensions/v1: Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`. */
export function toInternal(spec: CustomResourceDefinitionSpec): InternalSpec {
  const versions = spec.versions ?? []
  const [first] = versions
  const shared = <K extends keyof CustomResourceDefinitionVersion>(field: K): boolean =>
    first !== undefined && versions.every((version) => sameValue(version[field], first[field]))
  const sharedSchema = shared('schema')
  const sharedSubresources = shared('subresources')
  const sharedColumns = shared('additionalPrinterColumns')
  const sharedFields = shared('selectableFields')
  return {
    group: spec.group ?? '',
    version: first?.name ?? '',
    names: spec.names ?? {},
    scope: spec.scope ?? '',
    validation: sharedSchema ? first!.schema : undefined,
    subresources: sharedSubresources ? first!.subresources : undefined,
    additionalPrinterColumns: sharedColumns ? first!.additionalPrinterColumns : undefined,
    selectableFields: sharedFields ? first!.selectableFields : undefined,
    versions: versions.map((version) => ({
      name: version.name ?? '',
      served: version.served ?? false,
      storage: version.storage ?? false,
      deprecated: version.deprecated ?? false,
      deprecationWarning: version.deprecationWarning,
      schema: sharedSchema ? undefined : version.schema,
      subresources: sharedSubresources ? undefined : version.subresources,
      additionalPrinterColumns: sharedColumns ? undefined : version.additionalPrinterColumns,
      selectableFields: sharedFields ? undefined : version.selectableFields,
    })),
    conversion: spec.conversion,
    preserveUnknownFields: spec.preserveUnknownFields ?? false,
  }
}

/** Equality in which an empty list is as good as none. */
function sameValue(a: unknown, b: unknown): boolean {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  return (isEmpty(a) && isEmpty(b)) || deepEqual(a, b)
}

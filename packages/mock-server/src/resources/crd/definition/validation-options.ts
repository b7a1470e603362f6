import { deepEqual } from '../correlated-object.ts'
import { hasDefaults, pruneDefaults } from '../defaulting.ts'
import { nilPath } from '../field-errors.ts'
import { isNonStructural } from '../structural.ts'
import type { CustomResourceDefinition, JsonSchemaProps, SelectableField } from '../types.ts'
import type { InternalSpec } from './internal-spec.ts'
import { hasNonAtomicSetType, validateMapListKeysMapSet, type SchemaOptions } from './open-api-schema.ts'
import { schemasOf, specHas } from './schema-walk.ts'

/** How many fields objects of a version can be selected by. */
export const maxSelectableFields = 8
const openapiTypes = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])

/** What a definition is held to: an update is let off what its old one was not held to. */
export interface ValidationOptions extends Omit<SchemaOptions, 'suppressPerExpressionCost'> {
  readonly requireOpenAPISchema: boolean
  readonly requireStructuralSchema: boolean
  readonly requirePrunedDefaults: boolean
  readonly requireRecognizedConversionReviewVersion: boolean
  readonly unchangedVersions: ReadonlySet<string>
  /** Versions, or `''` for all, whose selectable fields were too many before. */
  readonly tooManySelectableFields: ReadonlySet<string>
}

/** For new definitions. */
export const createOptions: ValidationOptions = {
  requireValidPropertyType: true,
  requireAtomicSetType: true,
  requireMapListKeysMapSetValidation: true,
  preexisting: new Set(),
  requireOpenAPISchema: true,
  requireStructuralSchema: true,
  requirePrunedDefaults: true,
  requireRecognizedConversionReviewVersion: true,
  unchangedVersions: new Set(),
  tooManySelectableFields: new Set(),
}

/** For updates (`ValidateCustomResourceDefinitionUpdate`). */
export function updateOptions(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  spec: InternalSpec,
  oldSpec: InternalSpec,
): ValidationOptions {
  const preexisting = new Set<string>()
  specHas(oldSpec, (schema) => {
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      preexisting.add(rule.rule ?? '')
      if (rule.messageExpression) preexisting.add(rule.messageExpression)
    }
    return false
  })
  const schemaOf = (definition: CustomResourceDefinition, version: string): unknown =>
    definition.spec?.versions?.find((v) => v.name === version)?.schema
  const names = (crd.spec?.versions ?? []).map((version) => version.name ?? '')
  const oldNames = new Set((old.spec?.versions ?? []).map((version) => version.name ?? ''))
  const tooManySelectableFields = new Set<string>()
  const noteFields = (
    name: string,
    now: readonly SelectableField[] = [],
    before: readonly SelectableField[] = [],
  ): void => {
    if (before.length > maxSelectableFields && deepEqual(now, before)) tooManySelectableFields.add(name)
  }
  noteFields('', spec.selectableFields, oldSpec.selectableFields)
  for (const version of spec.versions) {
    noteFields(
      version.name,
      version.selectableFields,
      oldSpec.versions.find((v) => v.name === version.name)?.selectableFields,
    )
  }
  const reviewVersions = old.spec?.conversion?.webhook?.conversionReviewVersions ?? []
  return {
    requireValidPropertyType: !specHas(oldSpec, (schema) => !!schema.type && !openapiTypes.has(schema.type)),
    requireAtomicSetType: !specHas(oldSpec, hasNonAtomicSetType),
    requireMapListKeysMapSetValidation: !specHas(
      oldSpec,
      (schema) => validateMapListKeysMapSet(schema, nilPath).length > 0,
    ),
    preexisting,
    requireOpenAPISchema:
      oldSpec.validation?.openAPIV3Schema !== undefined ||
      oldSpec.versions.every((version) => version.schema?.openAPIV3Schema !== undefined),
    requireStructuralSchema: !schemasOf(oldSpec).some(isNonStructural),
    requirePrunedDefaults: !schemasOf(oldSpec).some(hasUnprunedDefaults),
    requireRecognizedConversionReviewVersion:
      reviewVersions.length === 0 || reviewVersions.some((v) => v === 'v1' || v === 'v1beta1'),
    unchangedVersions: new Set(
      names.filter((name) => oldNames.has(name) && deepEqual(schemaOf(crd, name), schemaOf(old, name))),
    ),
    tooManySelectableFields,
  }
}

function hasUnprunedDefaults(schema: JsonSchemaProps): boolean {
  return hasDefaults(schema) && !isNonStructural(schema) && !deepEqual(schema, pruneDefaults(schema))
}

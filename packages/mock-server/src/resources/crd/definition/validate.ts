import { utf8Length, type FieldError } from '@freshread/core'
import { isDNS1035Label, isDNSSubdomain } from '../../validation/names.ts'
import { deepEqual } from '../correlated-object.ts'
import { child, index, invalid, oneOf, required, type FieldPath } from '../field-errors.ts'
import type { CustomResourceDefinition, JsonSchemaProps } from '../types.ts'
import { validateApproval } from './approval.ts'
import { isConditionTrue } from './conditions.ts'
import { toInternal, type InternalSpec, type InternalVersion } from './internal-spec.ts'
import { printVersions } from './print-internal.ts'
import { specHas } from './schema-walk.ts'
import { validateColumn } from './validate-columns.ts'
import { validateConversion } from './validate-conversion.ts'
import { validateNames } from './validate-names.ts'
import { validateValidation } from './validate-schema.ts'
import { validateFieldsOf } from './validate-selectable-fields.ts'
import { validateSubresources } from './validate-subresources.ts'
import { createOptions, updateOptions, type ValidationOptions } from './validation-options.ts'

/**
 * Validation of CustomResourceDefinitions (`pkg/apis/apiextensions/validation: validation.go`). Metadata is
 * validated as that of any other object, by the verbs.
 */

/** Validates a new definition. */
export function validateDefinition(crd: CustomResourceDefinition): FieldError[] {
  const spec = toInternal(crd.spec ?? {})
  const errors: FieldError[] = []
  const name = crd.metadata.name ?? ''
  if (name !== `${spec.names.plural ?? ''}.${spec.group}`) {
    errors.push(invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'))
  }
  errors.push(...validateSpec(spec, createOptions, 'spec'))
  errors.push(...validateStatus(crd, spec))
  errors.push(...validateApproval(crd, undefined))
  errors.push(...validatePreserveUnknownFields(spec, undefined))
  return errors
}

/** Validates the update of a definition; what the old one was not held to, the new one is let off, too. */
export function validateDefinitionUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const spec = toInternal(crd.spec ?? {})
  const oldSpec = toInternal(old.spec ?? {})
  const options = updateOptions(crd, old, spec, oldSpec)
  const errors = validateSpec(spec, options, 'spec')
  const immutable = (path: FieldPath, value: unknown, before: unknown): void => {
    if (!deepEqual(value ?? '', before ?? '')) errors.push(invalid(path, value ?? '', 'field is immutable'))
  }
  if (isConditionTrue(old, 'Established')) {
    immutable('spec.scope', spec.scope, oldSpec.scope)
    immutable('spec.names.kind', spec.names.kind, oldSpec.names.kind)
  }
  immutable('spec.group', spec.group, oldSpec.group)
  immutable('spec.names.plural', spec.names.plural, oldSpec.names.plural)
  errors.push(...validateStatus(crd, spec))
  errors.push(...validateApproval(crd, old))
  errors.push(...validatePreserveUnknownFields(spec, oldSpec))
  return errors
}

/** Validates the update of a definition's status. */
export function validateDefinitionStatusUpdate(crd: CustomResourceDefinition): FieldError[] {
  return validateNames(crd.status?.acceptedNames ?? {}, 'status.acceptedNames')
}

function validateSpec(spec: InternalSpec, given: ValidationOptions, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { group, versions } = spec
  if (group === '') errors.push(required(child(path, 'group')))
  else {
    const problems = isDNSSubdomain(group)
    if (problems.length > 0) errors.push(invalid(child(path, 'group'), group, problems.join(',')))
    else if (!group.includes('.')) {
      errors.push(invalid(child(path, 'group'), group, 'should be a domain with at least one dot'))
    }
  }
  errors.push(...oneOf(child(path, 'scope'), spec.scope, ['Cluster', 'Namespaced']))
  let options = given
  if (!spec.preserveUnknownFields) options = { ...options, requireStructuralSchema: true }
  if (spec.validation?.openAPIV3Schema === undefined) {
    versions.forEach((version, i) => {
      if (version.schema?.openAPIV3Schema !== undefined) return
      const at = child(index(child(path, 'versions'), i), 'schema', 'openAPIV3Schema')
      if (options.requireOpenAPISchema) errors.push(required(at))
      else if (!spec.preserveUnknownFields && version.served) {
        errors.push(required(at, 'because otherwise all fields are pruned'))
      }
    })
  }
  if (specHas(spec, (schema) => schema.default !== undefined && schema.default !== null)) {
    options = { ...options, requireStructuralSchema: true }
    if (spec.preserveUnknownFields) {
      errors.push(
        invalid(child(path, 'preserveUnknownFields'), true, 'must be false in order to use defaults in the schema'),
      )
    }
  }
  if (specHas(spec, hasKubernetesExtensions)) options = { ...options, requireStructuralSchema: true }

  const names = new Set<string>()
  let uniqueNames = true
  for (const [i, version] of versions.entries()) {
    if (names.has(version.name)) uniqueNames = false
    names.add(version.name)
    const at = index(child(path, 'versions'), i)
    const problems = isDNS1035Label(version.name)
    if (problems.length > 0) errors.push(invalid(child(at, 'name'), version.name, problems.join(',')))
    const perVersion = versions.some((v) => v.subresources !== undefined)
    const subresources = perVersion ? version.subresources : spec.subresources
    errors.push(...validateVersion(version, at, subresources?.status !== undefined, options))
  }
  if (!uniqueNames)
    errors.push(invalid(child(path, 'versions'), printVersions(versions), 'must contain unique version names'))
  if (versions.filter((version) => version.storage).length !== 1) {
    const message = 'must have exactly one version marked as storage version'
    errors.push(invalid(child(path, 'versions'), printVersions(versions), message))
  }
  if (spec.version !== '') {
    const problems = isDNS1035Label(spec.version)
    if (problems.length > 0) errors.push(invalid(child(path, 'version'), spec.version, problems.join(',')))
  }
  for (const name of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!spec.names[name]) errors.push(required(child(path, 'names', name)))
  }
  errors.push(...validateNames(spec.names, child(path, 'names')))
  const anyStatus = [spec.subresources, ...versions.map((v) => v.subresources)].some((s) => s?.status !== undefined)
  const suppress = options.unchangedVersions.has(spec.version)
  errors.push(...validateValidation(spec.validation, anyStatus, options, suppress, child(path, 'validation')))
  errors.push(...validateSubresources(spec.subresources, child(path, 'subresources')))
  spec.additionalPrinterColumns?.forEach((column, i) =>
    errors.push(...validateColumn(column, index(child(path, 'additionalPrinterColumns'), i))),
  )
  if ((spec.selectableFields ?? []).length > 0) {
    const at = child(path, 'selectableFields')
    if (spec.validation === undefined)
      errors.push(invalid(at, '', 'may only be set when validations.schema is included'))
    else errors.push(...validateFieldsOf(spec.validation.openAPIV3Schema, spec.selectableFields!, path, options, ''))
  }
  if (spec.conversion !== undefined && spec.conversion.strategy !== 'None' && spec.preserveUnknownFields) {
    const at = child(path, 'conversion', 'strategy')
    errors.push(invalid(at, spec.conversion.strategy ?? '', 'must be None if spec.preserveUnknownFields is true'))
  }
  errors.push(...validateConversion(spec.conversion, options, child(path, 'conversion')))
  return errors
}

function hasKubernetesExtensions(schema: JsonSchemaProps): boolean {
  return (
    schema['x-kubernetes-embedded-resource'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    (schema['x-kubernetes-list-map-keys'] ?? []).length > 0 ||
    schema['x-kubernetes-list-type'] !== undefined ||
    (schema['x-kubernetes-validations'] ?? []).length > 0
  )
}

function validateVersion(
  version: InternalVersion,
  path: FieldPath,
  statusEnabled: boolean,
  options: ValidationOptions,
): FieldError[] {
  const errors = deprecationWarningProblems(version).map((problem) =>
    invalid(child(path, 'deprecationWarning'), version.deprecationWarning ?? null, problem),
  )
  const suppress = options.unchangedVersions.has(version.name)
  errors.push(...validateValidation(version.schema, statusEnabled, options, suppress, child(path, 'schema')))
  errors.push(...validateSubresources(version.subresources, child(path, 'subresources')))
  version.additionalPrinterColumns?.forEach((column, i) =>
    errors.push(...validateColumn(column, index(child(path, 'additionalPrinterColumns'), i))),
  )
  if ((version.selectableFields ?? []).length > 0) {
    const schema = version.schema?.openAPIV3Schema
    if (schema === undefined) {
      const message = 'may only be set when `version.schema.openAPIV3Schema` is not included'
      errors.push(invalid(child(path, 'selectableFields'), '', message))
    } else errors.push(...validateFieldsOf(schema, version.selectableFields!, path, options, version.name))
  }
  return errors
}

function deprecationWarningProblems(version: InternalVersion): string[] {
  const warning = version.deprecationWarning
  if (!version.deprecated && warning !== undefined) return ['can only be set for deprecated versions']
  if (warning === undefined) return []
  const problems: string[] = []
  if (utf8Length(warning) > 256) problems.push('must be <= 256 characters long')
  if (warning === '') problems.push('must not be an empty string')
  const bad = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  if (bad !== null) {
    const at = utf8Length(warning.slice(0, bad.index))
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`)
  }
  return problems
}

function validateStatus(crd: CustomResourceDefinition, spec: InternalSpec): FieldError[] {
  const errors = validateNames(crd.status?.acceptedNames ?? {}, 'status.acceptedNames')
  const path = 'status.storedVersions'
  const stored = crd.status?.storedVersions ?? []
  if (stored.length === 0) {
    return [...errors, invalid(path, crd.status?.storedVersions ?? null, 'must have at least one stored version')]
  }
  const left = new Map(stored.map((name, i) => [name, i]))
  for (const version of spec.versions) {
    if (version.storage && !left.has(version.name)) {
      errors.push(invalid(path, stored, `must have the storage version ${version.name}`))
    }
    left.delete(version.name)
  }
  for (const [name, i] of left) {
    const message = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.push(invalid(index(path, i), name, message))
  }
  return errors
}

function validatePreserveUnknownFields(spec: InternalSpec, old: InternalSpec | undefined): FieldError[] {
  if (old?.preserveUnknownFields === true || !spec.preserveUnknownFields) return []
  const message =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, message)]
}

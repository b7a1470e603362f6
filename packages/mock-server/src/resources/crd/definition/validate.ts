import { utf8Length, type FieldError } from '@freshread/core'
import { isDNS1035Label, isDNSSubdomain } from '../../validation/names.ts'
import { deepEqual } from '../correlated-object.ts'
import {
  child,
  duplicate,
  forbidden,
  index,
  invalid,
  key,
  nilPath,
  notSupported,
  required,
  tooMany,
  type FieldPath,
} from '../field-errors.ts'
import { parseRequestUri, parseUrl } from '../../../go/url.ts'
import { isNonStructural, unsupportedKeyword, validateStructural } from '../structural.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceSubresources,
  JsonSchemaProps,
  SelectableField,
} from '../types.ts'
import { isConditionTrue } from './conditions.ts'
import { CelContext, staticEstimatedCRDCostLimit } from './cel-context.ts'
import { validateDefaults } from './default-values.ts'
import { validFieldPath } from './field-path.ts'
import {
  printSchema,
  printVersions,
  toInternal,
  type InternalSpec,
  type InternalVersion,
  type Validation,
} from './internal.ts'
import {
  costMessage,
  hasNonAtomicSetType,
  validateMapListKeysMapSet,
  validateOpenApiSchema,
  type SchemaOptions,
} from './open-api-schema.ts'
import { schemasOf, specHas } from './schema-walk.ts'
import { hasDefaults, pruneDefaults } from '../defaulting.ts'

/**
 * Validation of CustomResourceDefinitions (`pkg/apis/apiextensions/validation: validation.go`). Metadata is
 * validated as that of any other object, by the verbs.
 */

const printerColumnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const printerColumnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const maxSelectableFields = 8
const openapiTypes = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])
const approvalAnnotation = 'api-approved.kubernetes.io'

interface Options extends Omit<SchemaOptions, 'suppressPerExpressionCost'> {
  readonly requireOpenAPISchema: boolean
  readonly requireStructuralSchema: boolean
  readonly requirePrunedDefaults: boolean
  readonly requireRecognizedConversionReviewVersion: boolean
  readonly unchangedVersions: ReadonlySet<string>
  /** Versions, or `''` for all, whose selectable fields were too many before. */
  readonly tooManySelectableFields: ReadonlySet<string>
}

const createOptions: Options = {
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

function updateOptions(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  spec: InternalSpec,
  oldSpec: InternalSpec,
): Options {
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

function validateSpec(spec: InternalSpec, given: Options, path: FieldPath): FieldError[] {
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
  errors.push(...validateEnum(child(path, 'scope'), spec.scope, ['Cluster', 'Namespaced']))
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
  options: Options,
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

function validateFieldsOf(
  schema: JsonSchemaProps | undefined,
  fields: readonly SelectableField[],
  path: FieldPath,
  options: Options,
  version: string,
): FieldError[] {
  const problem = unsupportedKeyword(schema)
  const errors = problem === undefined ? [] : [invalid(child(path, 'schema.openAPIV3Schema'), '', problem)]
  return [
    ...errors,
    ...validateSelectableFields(fields, schema ?? {}, child(path, 'selectableFields'), options, version),
  ]
}

function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchemaProps,
  path: FieldPath,
  options: Options,
  version: string,
): FieldError[] {
  const errors: FieldError[] = []
  const unique = new Set<string>()
  for (const [i, { jsonPath = '' }] of fields.entries()) {
    const at = child(index(path, i), 'jsonPath')
    if (jsonPath === '') {
      errors.push(required(at))
      continue
    }
    const found = validFieldPath(jsonPath, schema, false)
    if ('error' in found) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found.error}`))
      continue
    }
    if (found.root === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
      const message =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, jsonPath, message))
    }
    if (unique.has(found.path)) errors.push(duplicate(at, jsonPath))
    unique.add(found.path)
  }
  if (unique.size > maxSelectableFields && !options.tooManySelectableFields.has(version)) {
    errors.push(tooMany(path, unique.size, maxSelectableFields))
  }
  return errors
}

/** Fields of Go's JSONSchemaProps by keyword, in its order. */
const goFieldNames: readonly (readonly [keyword: string, goName: string])[] = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['default', 'Default'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'XListType'],
  ['x-kubernetes-map-type', 'XMapType'],
]
const allowedAtRoot =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]'

function validateValidation(
  validation: Validation | undefined,
  statusEnabled: boolean,
  options: Options,
  suppressPerExpressionCost: boolean,
  path: FieldPath,
): FieldError[] {
  const schema = validation?.openAPIV3Schema
  if (schema === undefined) return []
  const at = child(path, 'openAPIV3Schema')
  const errors: FieldError[] = []
  if (statusEnabled) {
    for (const [keyword] of goFieldNames) {
      const value = schema[keyword]
      if (keyword === 'type') {
        if (!value || value === 'object') continue
        const message =
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        errors.push(invalid(child(path, 'openAPIV3Schema.type'), value, message))
        break
      }
      if (value === undefined || value === false || value === '' || value === null) continue
      const message = `only ${allowedAtRoot} fields are allowed at the root of the schema if the status subresource is enabled`
      errors.push(invalid(at, printSchema(schema), message))
      break
    }
  }
  if (schema.nullable === true) {
    errors.push(forbidden(child(path, 'openAPIV3Schema.nullable'), 'nullable cannot be true at the root'))
  }
  let context: CelContext | undefined
  let unsupported: string | undefined
  if (options.requireStructuralSchema) {
    unsupported = unsupportedKeyword(schema)
    if (unsupported === undefined) {
      let problems = validateStructural(at, schema)
      if (problems.length === 0) problems = validateDefaults(at, schema, options.requirePrunedDefaults)
      errors.push(...problems)
      if (problems.length === 0) context = CelContext.root(schema)
    }
  }
  errors.push(...validateOpenApiSchema(schema, at, { ...options, suppressPerExpressionCost }, context))
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(at, '', unsupported))
  if (context !== undefined && context.totalCost.total > staticEstimatedCRDCostLimit) {
    for (const expensive of context.totalCost.mostExpensive) {
      const message = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
      errors.push(forbidden(expensive.path, message))
    }
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    errors.push(forbidden(at, costMessage(name, context.totalCost.total, staticEstimatedCRDCostLimit)))
  }
  return errors
}

function validateSubresources(subresources: CustomResourceSubresources | undefined, path: FieldPath): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined) return []
  const errors: FieldError[] = []
  const check = (field: string, value: string, prefixes: readonly string[], where: string): void => {
    const at = child(path, `scale.${field}`)
    const problems = validateSimpleJsonPath(value, at)
    if (problems.length > 0) errors.push(...problems)
    else if (!prefixes.some((prefix) => value.startsWith(prefix))) {
      errors.push(invalid(at, value, `should be a json path under ${where}`))
    }
  }
  if (!scale.specReplicasPath) errors.push(required(child(path, 'scale.specReplicasPath')))
  else check('specReplicasPath', scale.specReplicasPath, ['.spec.'], '.spec')
  if (!scale.statusReplicasPath) errors.push(required(child(path, 'scale.statusReplicasPath')))
  else check('statusReplicasPath', scale.statusReplicasPath, ['.status.'], '.status')
  if (scale.labelSelectorPath) {
    check('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')
  }
  return errors
}

function validateSimpleJsonPath(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [invalid(path, text, 'must not be empty')]
  if (!text.startsWith('.')) return [invalid(path, text, 'must be a simple json path starting with .')]
  return []
}

function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const oneOfTypes = `must be one of ${printerColumnTypes.join(',')}`
  if (!column.name) errors.push(required(child(path, 'name')))
  if (!column.type) errors.push(required(child(path, 'type'), oneOfTypes))
  else if (!printerColumnTypes.includes(column.type)) errors.push(invalid(child(path, 'type'), column.type, oneOfTypes))
  if (column.format && !printerColumnFormats.includes(column.format)) {
    errors.push(invalid(child(path, 'format'), column.format, `must be one of ${printerColumnFormats.join(',')}`))
  }
  if (!column.jsonPath) errors.push(required(child(path, 'JSONPath')))
  else errors.push(...validateSimpleJsonPath(column.jsonPath, child(path, 'JSONPath')))
  return errors
}

function validateEnum(path: FieldPath, value: string, accepted: readonly string[]): FieldError[] {
  if (value === '') return [required(path)]
  return accepted.includes(value) ? [] : [notSupported(path, value, accepted)]
}

function validateConversion(
  conversion: CustomResourceConversion | undefined,
  options: Options,
  path: FieldPath,
): FieldError[] {
  if (conversion === undefined) return []
  const { strategy = '', webhook } = conversion
  const errors = validateEnum(child(path, 'strategy'), strategy, ['None', 'Webhook'])
  const config = webhook?.clientConfig
  const configPath = child(path, 'webhookClientConfig')
  const reviewPath = child(path, 'conversionReviewVersions')
  const reviewVersions = webhook?.conversionReviewVersions ?? []
  if (strategy !== 'Webhook') {
    const message = 'should not be set when strategy is not set to Webhook'
    if (config !== undefined) errors.push(forbidden(configPath, message))
    if (reviewVersions.length > 0) errors.push(forbidden(reviewPath, message))
    return errors
  }
  if (config === undefined) errors.push(required(configPath, 'required when strategy is set to Webhook'))
  else if ((config.url === undefined) === (config.service === undefined)) {
    errors.push(required(configPath, 'exactly one of url or service is required'))
  } else if (config.url !== undefined) errors.push(...validateWebhookUrl(child(configPath, 'url'), config.url))
  else {
    // Upstream hands name and namespace over in the wrong order.
    const { name = '', namespace = '', path: urlPath, port = 443 } = config.service!
    const at = child(configPath, 'service')
    if (namespace === '') errors.push(required(child(at, 'namespace')))
    if (name === '') errors.push(required(child(at, 'name')))
    if (port < 1 || port > 65535) {
      errors.push(invalid(child(at, 'port'), port, 'port is not valid: must be between 1 and 65535, inclusive'))
    }
    if (urlPath !== undefined) errors.push(...validateWebhookPath(child(at, 'path'), urlPath))
  }
  if (reviewVersions.length === 0) errors.push(required(reviewPath))
  const seen = new Set<string>()
  for (const [i, version] of reviewVersions.entries()) {
    if (seen.has(version)) errors.push(invalid(index(reviewPath, i), version, 'duplicate version'))
    else for (const problem of isDNS1035Label(version)) errors.push(invalid(index(reviewPath, i), version, problem))
    seen.add(version)
  }
  const recognized = seen.has('v1') || seen.has('v1beta1')
  if (reviewVersions.length > 0 && options.requireRecognizedConversionReviewVersion && !recognized) {
    errors.push(invalid(reviewPath, reviewVersions, 'must include at least one of v1, v1beta1'))
  }
  return errors
}

function validateWebhookUrl(path: FieldPath, text: string): FieldError[] {
  const form = '; desired format: https://host[/path]'
  const url = parseUrl(text)
  if ('error' in url) return [required(path, `url must be a valid URL: ${url.error}${form}`)]
  const errors: FieldError[] = []
  if (url.scheme !== 'https') errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`))
  if (url.host === '') errors.push(invalid(path, url.host, `host must be specified${form}`))
  const user = /^[^:]+:\/\/([^/@]*)@/.exec(text)
  if (user !== null) errors.push(invalid(path, user[1]!, 'user information is not permitted in the URL'))
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'))
  if (url.rawQuery !== '') errors.push(invalid(path, url.rawQuery, 'query parameters are not permitted in the URL'))
  return errors
}

function validateWebhookPath(path: FieldPath, text: string): FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const errors: FieldError[] = []
  if (!text.startsWith('/')) errors.push(invalid(path, text, "must start with a '/'"))
  for (const [i, step] of text.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') errors.push(invalid(path, text, `segment[${i}] may not be empty`))
    else for (const problem of isDNSSubdomain(step)) errors.push(invalid(path, text, `segment[${i}]: ${problem}`))
  }
  return errors
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

function validateNames(names: CustomResourceDefinitionNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['plural', 'singular'] as const) {
    const value = names[name] ?? ''
    const problems = value === '' ? [] : isDNS1035Label(value)
    if (problems.length > 0) errors.push(invalid(child(path, name), value, problems.join(',')))
  }
  for (const name of ['kind', 'listKind'] as const) {
    const value = names[name] ?? ''
    const problems = value === '' ? [] : isDNS1035Label(value.toLowerCase())
    if (problems.length > 0) {
      const message = `may have mixed case, but should otherwise match: ${problems.join(',')}`
      errors.push(invalid(child(path, name), value, message))
    }
  }
  const list = (field: 'shortNames' | 'categories'): void => {
    names[field]?.forEach((value, i) => {
      const problems = isDNS1035Label(value)
      if (problems.length > 0) errors.push(invalid(index(child(path, field), i), value, problems.join(',')))
    })
  }
  list('shortNames')
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid(child(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'))
  }
  list('categories')
  return errors
}

type Approval = 'approved' | 'bypassed' | 'missing' | 'invalid'

/** Whether a group of Kubernetes itself has been approved, by annotation (`pkg/apihelpers: GetAPIApprovalState`). */
export function approvalState(crd: CustomResourceDefinition): { readonly state: Approval; readonly reason: string } {
  const annotation = crd.metadata.annotations?.[approvalAnnotation] ?? ''
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (annotation === '') {
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation "${approvalAnnotation}", ${see}`,
    }
  }
  if (annotation.startsWith('unapproved'))
    return { state: 'bypassed', reason: `not approved: ${JSON.stringify(annotation)}` }
  const url = parseRequestUri(annotation)
  if (!('error' in url) && url.host !== '' && url.scheme !== '')
    return { state: 'approved', reason: `approved in ${annotation}` }
  return {
    state: 'invalid',
    reason: `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${see}`,
  }
}

export function isProtectedCommunityGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

function validateApproval(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtectedCommunityGroup(crd.spec?.group ?? '')) return []
  const { state, reason } = approvalState(crd)
  if (old !== undefined && approvalState(old).state === state) return []
  const at = key('metadata.annotations', approvalAnnotation)
  if (state === 'missing') return [required(at, reason)]
  return state === 'invalid' ? [invalid(at, crd.metadata.annotations?.[approvalAnnotation] ?? '', reason)] : []
}

function validatePreserveUnknownFields(spec: InternalSpec, old: InternalSpec | undefined): FieldError[] {
  if (old?.preserveUnknownFields === true || !spec.preserveUnknownFields) return []
  const message =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, message)]
}

import type { FieldError } from '@freshread/core'
import { compileRules, type CompilationResult } from '../cel/compile.ts'
import {
  child,
  forbidden,
  index,
  internalError,
  invalid,
  key,
  notSupported,
  required,
  type FieldPath,
} from '../field-errors.ts'
import { unsupportedKeyword } from '../structural.ts'
import { additionalSchema, metaFields, propertySchema, type JsonSchemaProps } from '../types.ts'
import { maxUint64, multiplyCapped, staticEstimatedCostLimit, type CelContext } from './cel-context.ts'
import { validFieldPath } from './field-path.ts'
import { printRule } from './print-internal.ts'

const openapiTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** What the update of a definition is held to; its old form may have been let off some of it. */
export interface SchemaOptions {
  readonly requireValidPropertyType: boolean
  readonly requireAtomicSetType: boolean
  readonly requireMapListKeysMapSetValidation: boolean
  /** The schema has not changed, so that its rules' costs are not held against it again. */
  readonly suppressPerExpressionCost: boolean
  /** Rules and message expressions that were there before the update: they may use what is new in this version. */
  readonly preexisting: ReadonlySet<string>
}

/** What is allowed at a place of the walk (`specStandardValidatorV3`). */
interface Position {
  readonly allowDefaults: boolean
  readonly disallowDefaultsReason: string
  readonly insideResourceMeta: boolean
  /** The highest node on the way here whose children cannot be told apart between two versions of an object. */
  readonly uncorrelatable: FieldPath | undefined
}

const anywhere: Position = {
  allowDefaults: true,
  disallowDefaultsReason: '',
  insideResourceMeta: false,
  uncorrelatable: undefined,
}

interface Errors {
  readonly schema: FieldError[]
  readonly cel: FieldError[]
}

/** Validates a schema with its rules (`ValidateCustomResourceDefinitionOpenAPISchema`). `context` only where the rest is valid. */
export function validateOpenApiSchema(
  schema: JsonSchemaProps,
  path: FieldPath,
  options: SchemaOptions,
  context: CelContext | undefined,
): FieldError[] {
  const { schema: schemaErrors, cel } = visit(schema, path, anywhere, true, options, context)
  return [...schemaErrors, ...cel]
}

function visit(
  schema: JsonSchemaProps | undefined,
  path: FieldPath,
  position: Position,
  isRoot: boolean,
  options: SchemaOptions,
  context: CelContext | undefined,
): Errors {
  const errors: Errors = { schema: [], cel: [] }
  if (schema === undefined) return errors
  const below = (inner: JsonSchemaProps | undefined, at: FieldPath, where: Position, celContext?: CelContext): void => {
    const found = visit(inner, at, where, false, options, celContext)
    errors.schema.push(...found.schema)
    errors.cel.push(...found.cel)
  }
  errors.schema.push(...validateKeywords(schema, path, position, options))
  if (schema.uniqueItems === true) {
    const message = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.schema.push(forbidden(child(path, 'uniqueItems'), message))
  }
  const properties = Object.entries(schema.properties ?? {})
  if (schema.additionalProperties !== undefined) {
    if (properties.length > 0 && schema.additionalProperties !== true) {
      const message = 'additionalProperties and properties are mutual exclusive'
      errors.schema.push(forbidden(child(path, 'additionalProperties'), message))
    }
    const where = position.insideResourceMeta
      ? withForbiddenDefaults(position, 'inside additionalProperties applying to object metadata')
      : position
    const inner = additionalSchema(schema)
    below(inner, child(path, 'additionalProperties'), where, context?.additionalProperties(inner))
  }
  for (const [name, property] of properties) {
    let where = position
    const mapType = schema['x-kubernetes-map-type']
    if (mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic') where = withUncorrelatable(where, path)
    if ((isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name)) {
      where = { ...where, insideResourceMeta: true }
      if (isRoot) where = withForbiddenDefaults(where, `in top-level ${name}`)
    }
    below(property, key(child(path, 'properties'), name), where, context?.property(property, name))
  }
  below(schema.not, child(path, 'not'), position)
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[junctor]?.forEach((part, i) => below(part, index(child(path, junctor), i), position))
  }
  for (const [name, part] of Object.entries(schema.definitions ?? {})) {
    below(part, key(child(path, 'definitions'), name), position)
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) {
    const where = schema['x-kubernetes-list-type'] === 'map' ? position : withUncorrelatable(position, path)
    below(schema.items, child(path, 'items'), where, context?.items(schema.items))
  }
  for (const [name, part] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(part)) below(part as JsonSchemaProps, key(child(path, 'dependencies'), name), position)
  }
  validateExtensions(schema, path, options, errors.schema)
  if (options.requireMapListKeysMapSetValidation) errors.schema.push(...validateMapListKeysMapSet(schema, path))
  validateRules(schema, path, position, options, context, errors)
  return errors
}

function withForbiddenDefaults(position: Position, reason: string): Position {
  return { ...position, allowDefaults: false, disallowDefaultsReason: reason }
}

function withUncorrelatable(position: Position, path: FieldPath): Position {
  return position.uncorrelatable === undefined ? { ...position, uncorrelatable: path } : position
}

/** Keywords that OpenAPI v3 or Kubernetes has no use for. */
function validateKeywords(
  schema: JsonSchemaProps,
  path: FieldPath,
  position: Position,
  options: SchemaOptions,
): FieldError[] {
  const errors: FieldError[] = []
  const { type = '' } = schema
  if (options.requireValidPropertyType && type !== '' && !openapiTypes.includes(type)) {
    errors.push(notSupported(child(path, 'type'), type, openapiTypes))
  }
  if (schema.default !== undefined && schema.default !== null && !position.allowDefaults) {
    const reason = position.disallowDefaultsReason
    errors.push(forbidden(child(path, 'default'), reason === '' ? 'must not be set' : `must not be set ${reason}`))
  }
  if (schema.id) errors.push(forbidden(child(path, 'id'), 'id is not supported'))
  if (schema.additionalItems !== undefined) {
    errors.push(forbidden(child(path, 'additionalItems'), 'additionalItems is not supported'))
  }
  for (const keyword of ['patternProperties', 'definitions'] as const) {
    if (Object.keys(schema[keyword] ?? {}).length > 0)
      errors.push(forbidden(child(path, keyword), `${keyword} is not supported`))
  }
  if (schema.dependencies !== undefined)
    errors.push(forbidden(child(path, 'dependencies'), 'dependencies is not supported'))
  if (schema.$ref !== undefined) errors.push(forbidden(child(path, '$ref'), '$ref is not supported'))
  if (type === 'null') {
    errors.push(forbidden(child(path, 'type'), 'type cannot be set to null, use nullable as an alternative'))
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(child(path, 'items'), 'items must be a schema object and not an array'))
  }
  if (position.insideResourceMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(child(path, 'x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'))
  }
  return errors
}

function validateExtensions(
  schema: JsonSchemaProps,
  path: FieldPath,
  options: SchemaOptions,
  errors: FieldError[],
): void {
  const { type = '', items } = schema
  const listType = schema['x-kubernetes-list-type']
  const mapType = schema['x-kubernetes-map-type']
  const mapKeys = schema['x-kubernetes-list-map-keys'] ?? []
  const wrongType = (message: string): void => {
    errors.push(type === '' ? required(child(path, 'type'), message) : invalid(child(path, 'type'), type, message))
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'))
  }
  if (mapType !== undefined && type !== 'object') wrongType('must be object if x-kubernetes-map-type is specified')
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']))
  }
  if (listType !== undefined && type !== 'array') wrongType('must be array if x-kubernetes-list-type is specified')
  else if (options.requireAtomicSetType && hasNonAtomicSetType(schema)) {
    const keyword = items!.type === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type'
    const message = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    errors.push(invalid(child(path, 'items', keyword), items!['x-kubernetes-list-type'] ?? null, message))
  }
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(child(path, 'x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']))
  }
  if (mapKeys.length > 0 && listType !== 'map') {
    const at = child(path, 'x-kubernetes-list-type')
    const message = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(listType === undefined ? required(at, message) : invalid(at, listType, message))
  }
  if (listType !== 'map') return
  const keysPath = child(path, 'x-kubernetes-list-map-keys')
  if (mapKeys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'))
  if (items === undefined) {
    errors.push(required(child(path, 'items'), 'must have a schema if x-kubernetes-list-type is map'))
    return
  }
  if (Array.isArray(items)) return
  if (items.type !== 'object') {
    const message = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(child(path, 'items', 'type'), items.type ?? '', message))
    return
  }
  const seen = new Set<string>()
  for (const name of mapKeys) {
    const property = propertySchema(items, name)
    if (property === undefined) errors.push(invalid(keysPath, mapKeys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object') {
      const at = child(key(child(path, 'items', 'properties'), name), 'type')
      errors.push(invalid(at, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"))
    }
    if (seen.has(name)) errors.push(invalid(keysPath, mapKeys, 'must not contain duplicate entries'))
    seen.add(name)
  }
}

/** Elements of a set must be compared as a whole. */
export function hasNonAtomicSetType(schema: JsonSchemaProps): boolean {
  const { items } = schema
  if (schema['x-kubernetes-list-type'] !== 'set' || items === undefined || Array.isArray(items)) return false
  if (items.type === 'array') return (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic'
  return items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic'
}

/** Keys of a map list must always be there. */
export function validateMapListKeysMapSet(schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const { items } = schema
  const listType = schema['x-kubernetes-list-type']
  if (items === undefined || Array.isArray(items) || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  if (items.nullable === true) {
    const message = `cannot be nullable when x-kubernetes-list-type is ${listType}`
    errors.push(forbidden(child(path, 'items', 'nullable'), message))
  }
  if (listType !== 'map') return errors
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = propertySchema(items, name)
    if (property === undefined) continue
    const at = key(child(path, 'items', 'properties'), name)
    if (!(items.required ?? []).includes(name) && (property.default ?? null) === null) {
      const message =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(required(child(at, 'default'), message))
    }
    if (property.nullable === true) {
      const message = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(forbidden(child(at, 'nullable'), message))
    }
  }
  return errors
}

const lineBreak = /[\n\r]/

function validateRules(
  schema: JsonSchemaProps,
  path: FieldPath,
  position: Position,
  options: SchemaOptions,
  context: CelContext | undefined,
  errors: Errors,
): void {
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return
  const rulePath = (i: number, ...field: string[]): FieldPath =>
    child(index(child(path, 'x-kubernetes-validations'), i), ...field)
  for (const [i, rule] of rules.entries()) {
    const { message = '', messageExpression = '', fieldPath = '' } = rule
    const trimmedRule = (rule.rule ?? '').trim()
    const trimmedMessage = message.trim()
    if (trimmedRule === '') errors.schema.push(required(rulePath(i, 'rule'), 'rule is not specified'))
    else if (message !== '' && trimmedMessage === '') {
      errors.schema.push(invalid(rulePath(i, 'message'), message, 'must be non-empty if specified'))
    } else if (lineBreak.test(trimmedMessage)) {
      errors.schema.push(invalid(rulePath(i, 'message'), message, 'must not contain line breaks'))
    } else if (lineBreak.test(trimmedRule) && trimmedMessage === '') {
      errors.schema.push(required(rulePath(i, 'message'), 'message must be specified if rule contains line breaks'))
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.schema.push(required(rulePath(i, 'messageExpression'), 'messageExpression must be non-empty if specified'))
    }
    if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
      errors.schema.push(notSupported(rulePath(i, 'reason'), rule.reason, reasons))
    }
    if (fieldPath === '') continue
    if (fieldPath.trim() === '') {
      errors.schema.push(invalid(rulePath(i, 'fieldPath'), fieldPath, 'must be non-empty if specified'))
    }
    if (lineBreak.test(fieldPath)) {
      errors.schema.push(invalid(rulePath(i, 'fieldPath'), fieldPath, 'must not contain line breaks'))
    }
    if (unsupportedKeyword(schema) === undefined && 'error' in validFieldPath(fieldPath, schema)) {
      errors.schema.push(invalid(rulePath(i, 'fieldPath'), fieldPath, 'must be a valid path'))
    }
  }
  // Rules of a schema that is wrong anyway give messages that nobody could act on.
  if (errors.schema.length > 0 || context === undefined) return
  const info = context.typeInfo()
  if (info === undefined) {
    const message =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
    errors.cel.push(internalError(child(path, 'x-kubernetes-validations'), message))
    return
  }
  const results = compileRules(
    { ...info.schema, 'x-kubernetes-validations': rules },
    info.declType,
    options.preexisting,
  )
  results.forEach((result, i) => {
    const rule = rules[i]!
    const cost = expressionCost(result, context)
    if (!options.suppressPerExpressionCost && cost > staticEstimatedCostLimit) {
      errors.cel.push(
        forbidden(rulePath(i, 'rule'), costMessage('estimated rule cost', cost, staticEstimatedCostLimit)),
      )
    }
    context.totalCost.observe(rulePath(i, 'rule'), cost)
    if (result.error !== undefined) errors.cel.push(invalid(rulePath(i, 'rule'), printRule(rule), result.error))
    if (result.messageExpressionError !== undefined) {
      errors.cel.push(invalid(rulePath(i, 'messageExpression'), printRule(rule), result.messageExpressionError))
    } else if (result.messageExpression !== undefined) {
      const messageCost = result.messageExpressionMaxCost
      if (!options.suppressPerExpressionCost && messageCost > staticEstimatedCostLimit) {
        const message = costMessage('estimated messageExpression cost', messageCost, staticEstimatedCostLimit)
        errors.cel.push(forbidden(rulePath(i, 'messageExpression'), message))
      }
      context.totalCost.observe(rulePath(i, 'messageExpression'), messageCost)
    }
    if (result.usesOldSelf) {
      if (position.uncorrelatable !== undefined) {
        const message = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${position.uncorrelatable}`
        errors.cel.push(invalid(rulePath(i, 'rule'), rule.rule ?? '', message))
      }
    } else if (rule.optionalOldSelf !== undefined) {
      const message = 'may not be set if oldSelf is not used in rule'
      errors.cel.push(invalid(rulePath(i, 'optionalOldSelf'), rule.optionalOldSelf, message))
    }
  })
}

function expressionCost(result: CompilationResult, context: CelContext): bigint {
  return multiplyCapped(result.maxCost, context.maxCardinality ?? result.maxCardinality)
}

/** By how much a cost is too high, in words (`getCostErrorMessage`). */
export function costMessage(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost > maxUint64 ? maxUint64 : cost) / Number(limit)
  const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${name} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

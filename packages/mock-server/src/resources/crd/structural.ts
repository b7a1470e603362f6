import type { FieldError } from '@freshread/core'
import { deepEqual } from './correlated-object.ts'
import { child, forbidden, index, invalid, key, required, type FieldPath } from './field-errors.ts'
import { compareUtf8 } from '../../go/text.ts'
import { compileRegexp } from '../../go/regexp.ts'
import { additionalSchema, type JsonSchemaProps } from './types.ts'

/**
 * What makes a schema structural: every value has its place in the schema's spine, and logical parts only
 * restrict (`pkg/apiserver/schema: ValidateStructural`).
 */

type Level = 'root' | 'item' | 'field'

const intOrStringAnyOf: readonly JsonSchemaProps[] = [{ type: 'integer' }, { type: 'string' }]

/** Why a schema cannot be structural at all: it uses a keyword that has no place there (`NewStructural`). */
export function unsupportedKeyword(schema: JsonSchemaProps | undefined): string | undefined {
  if (schema === undefined) return undefined
  if (schema.id) return "OpenAPIV3Schema 'id' is not supported"
  if (schema.$schema) return "OpenAPIV3Schema 'schema' is not supported"
  if (schema.$ref) return "OpenAPIV3Schema '$ref' is not supported"
  if (size(schema.patternProperties) > 0) return "OpenAPIV3Schema 'patternProperties' is not supported"
  if (size(schema.dependencies) > 0) return "OpenAPIV3Schema 'dependencies' is not supported"
  if (schema.additionalItems !== undefined) return "OpenAPIV3Schema 'additionalItems' is not supported"
  if (size(schema.definitions) > 0) return "OpenAPIV3Schema 'definitions' is not supported"
  for (const part of nested(schema)) {
    const problem = unsupportedKeyword(part)
    if (problem !== undefined) return problem
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  for (const part of [schema.items, ...Object.values(schema.properties ?? {}), additionalSchema(schema)]) {
    const problem = unsupportedKeyword(part)
    if (problem !== undefined) return problem
  }
  return undefined
}

function size(map: object | undefined): number {
  return map === undefined ? 0 : Object.keys(map).length
}

function nested(schema: JsonSchemaProps): readonly JsonSchemaProps[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema
  return [...(not === undefined ? [] : [not]), ...allOf, ...anyOf, ...oneOf]
}

/** All violations, sorted by their messages. */
export function validateStructural(path: FieldPath, schema: JsonSchemaProps): FieldError[] {
  const errors: FieldError[] = []
  validateInvariants(schema, 'root', path, errors)
  validateCompleteness(schema, schema, path, path, errors)
  return errors.sort((a, b) => compareUtf8(a.message, b.message))
}

export function isNonStructural(schema: JsonSchemaProps | undefined): boolean {
  if (schema === undefined) return false
  return unsupportedKeyword(schema) !== undefined || validateStructural('', schema).length > 0
}

function validateInvariants(
  schema: JsonSchemaProps | undefined,
  level: Level,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (schema === undefined) return
  const type = schema.type ?? ''
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  if (type === 'array' && schema.items === undefined) errors.push(required(child(path, 'items'), 'must be specified'))
  validateInvariants(schema.items, 'item', child(path, 'items'), errors)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateInvariants(property, 'field', key(child(path, 'properties'), name), errors)
  }
  if (schema.additionalProperties !== undefined) {
    if (level === 'root') errors.push(forbidden(child(path, 'additionalProperties'), 'must not be used at the root'))
    validateInvariants(additionalSchema(schema), 'field', child(path, 'additionalProperties'), errors)
  }
  if (intOrString && preserve) {
    const at = child(path, 'x-kubernetes-preserve-unknown-fields')
    errors.push(invalid(at, true, 'must be false if x-kubernetes-int-or-string is true'))
  }
  if (intOrString && embedded) {
    const at = child(path, 'x-kubernetes-embedded-resource')
    errors.push(invalid(at, true, 'must be false if x-kubernetes-int-or-string is true'))
  }
  const skipAnyOf = isIntOrStringPattern(schema)
  const skipFirstAllOf = schema.allOf !== undefined && schema.allOf.length > 0 && isIntOrStringPattern(schema.allOf[0]!)
  validateValueValidation(schema, skipAnyOf, skipFirstAllOf, path, errors)
  if (embedded && type !== 'object') {
    const message = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(child(path, 'type'), message) : invalid(child(path, 'type'), type, message))
  } else if (type === '' && !intOrString && !preserve) {
    const where = { root: 'at the root', item: 'for specified array items', field: 'for specified object fields' }[
      level
    ]
    errors.push(required(child(path, 'type'), `must not be empty ${where}`))
  }
  if (embedded && schema.additionalProperties !== undefined) {
    errors.push(
      forbidden(child(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    )
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(child(path, 'type'), type, 'must be object at the root'))
  }
  const isResource = level === 'root' || embedded
  if (isResource) {
    for (const name of ['kind', 'apiVersion']) {
      const property = schema.properties?.[name]
      if (property !== undefined && property.type !== 'string') {
        errors.push(invalid(child(key(child(path, 'properties'), name), 'type'), property.type ?? '', 'must be string'))
      }
    }
  }
  const metadata = schema.properties?.['metadata']
  if (metadata !== undefined)
    validateMetadata(metadata, isResource, level, key(child(path, 'properties'), 'metadata'), errors)
  if (embedded && !preserve && size(schema.properties) === 0) {
    const message =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(child(path, 'properties'), message))
  }
}

function validateMetadata(
  schema: JsonSchemaProps,
  isResource: boolean,
  level: Level,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (isResource && schema.type !== 'object')
    errors.push(invalid(child(path, 'type'), schema.type ?? '', 'must be object'))
  if (level !== 'root') return
  const names = Object.keys(schema.properties ?? {})
  const restrictsNames = names.length > 0 && names.every((name) => name === 'name' || name === 'generateName')
  const rest = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'type' || keyword === 'default') return false
    if (keyword === 'properties' && (restrictsNames || names.length === 0)) return false
    return !isZero(value)
  })
  if (rest.length > 0) {
    const message = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbidden(path, message))
  }
}

/** The zero value of a field of JSONSchemaProps, as if it had not been given. */
function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  return Array.isArray(value) && value.length === 0
}

function isIntOrStringPattern(schema: JsonSchemaProps): boolean {
  const { anyOf } = schema
  return anyOf !== undefined && anyOf.length === 2 && deepEqual(anyOf, intOrStringAnyOf)
}

function validateValueValidation(
  schema: JsonSchemaProps,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!skipAnyOf)
    schema.anyOf?.forEach((part, i) => validateNested(part, false, index(child(path, 'anyOf'), i), errors))
  schema.allOf?.forEach((part, i) =>
    validateNested(part, skipFirstAllOf && i === 0, index(child(path, 'allOf'), i), errors),
  )
  schema.oneOf?.forEach((part, i) => validateNested(part, false, index(child(path, 'oneOf'), i), errors))
  if (schema.not !== undefined) validateNested(schema.not, false, child(path, 'not'), errors)
  if (schema.pattern !== undefined && schema.pattern !== '') {
    const compiled = compileRegexp(schema.pattern)
    if ('error' in compiled) {
      const message = `must be a valid regular expression, but isn't: ${compiled.error}`
      errors.push(invalid(child(path, 'pattern'), schema.pattern, message))
    }
  }
}

const forbiddenInside: readonly (readonly [keyword: string, state: string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

function validateNested(schema: JsonSchemaProps, skipAnyOf: boolean, path: FieldPath, errors: FieldError[]): void {
  validateValueValidation(schema, skipAnyOf, false, path, errors)
  if (schema.items !== undefined) validateNested(schema.items, false, child(path, 'items'), errors)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateNested(property, false, key(child(path, 'properties'), name), errors)
  }
  for (const [keyword, state] of forbiddenInside) {
    if (!isZero(schema[keyword])) errors.push(forbidden(child(path, keyword), `must be ${state} to be structural`))
  }
  if (schema.properties?.['metadata'] !== undefined) {
    const at = key(child(path, 'properties'), 'metadata')
    errors.push(forbidden(at, 'must not be specified in a nested context'))
  }
}

/** Whatever a logical part talks of must be in the spine, too (`validateStructuralCompleteness`). */
function validateCompleteness(
  part: JsonSchemaProps,
  spine: JsonSchemaProps | undefined,
  spinePath: FieldPath,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (part.not !== undefined) validateNestedCompleteness(part.not, spine, spinePath, child(path, 'not'), errors)
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    part[junctor]?.forEach((inner, i) =>
      validateNestedCompleteness(inner, spine, spinePath, index(child(path, junctor), i), errors),
    )
  }
}

function validateNestedCompleteness(
  part: JsonSchemaProps,
  spine: JsonSchemaProps | undefined,
  spinePath: FieldPath,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (spine === undefined) {
    errors.push(required(spinePath, `because it is defined in ${path}`))
    return
  }
  validateCompleteness(part, spine, spinePath, path, errors)
  if (part.items !== undefined) {
    validateNestedCompleteness(part.items, spine.items, child(spinePath, 'items'), child(path, 'items'), errors)
  }
  for (const [name, property] of Object.entries(part.properties ?? {})) {
    const own =
      spine.properties !== undefined && Object.hasOwn(spine.properties, name) ? spine.properties[name] : undefined
    const ownPath = key(child(spinePath, 'properties'), name)
    const at = key(child(path, 'properties'), name)
    if (own === undefined) errors.push(required(ownPath, `because it is defined in ${at}`))
    else validateNestedCompleteness(property, own, ownPath, at, errors)
  }
}

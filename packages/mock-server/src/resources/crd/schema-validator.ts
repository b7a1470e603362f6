import { goNumber, goQuote, type FieldError } from '@freshread/core'
import { deepEqual, type CorrelatedObject } from './correlated-object.ts'
import {
  child,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  type FieldPath,
} from './field-errors.ts'
import { matchesFormat, supportedFormat } from './formats.ts'
import { goValue, runeCount } from '../../go/text.ts'
import { compileRegexp, matchString } from '../../go/regexp.ts'
import type { JsonSchemaProps } from './types.ts'

/**
 * Validates values against OpenAPI v3 schemas, with the messages of `kube-openapi: pkg/validation/validate`.
 */

type Code = 'type' | 'required' | 'enum' | 'tooLong' | 'maxItems' | 'maxProperties' | 'other'

interface Problem {
  /** Where, in the validator's own spelling: a leading dot below a nameless root. `undefined` for errors without a place. */
  readonly name: string | undefined
  readonly code: Code
  readonly message: string
  readonly value?: unknown
  readonly valid?: unknown
}

/** What was wrong, and how many checks were made: the closest of several failed alternatives is the one with most. */
class Result {
  readonly errors: Problem[] = []
  matches = 0

  add(problem: Problem): void {
    if (!this.errors.some((known) => known.message === problem.message)) this.errors.push(problem)
  }

  merge(other: Result): void {
    for (const problem of other.errors) this.add(problem)
    this.matches += other.matches
  }

  get valid(): boolean {
    return this.errors.length === 0
  }
}

/**
 * Validates a value. With `correlation` (the value and the one it replaces), what is wrong in unchanged parts is
 * let through (`pkg/apiserver/validation: ValidateCustomResourceUpdate`).
 */
export function validateSchema(
  path: FieldPath,
  value: unknown,
  schema: JsonSchemaProps | undefined,
  correlation?: CorrelatedObject,
): FieldError[] {
  if (schema === undefined) return []
  const result =
    correlation === undefined ? validateNode(schema, '', value, undefined) : validateRatcheting(schema, '', correlation)
  return result.errors.map((problem) => toFieldError(path, problem))
}

function toFieldError(path: FieldPath, problem: Problem): FieldError {
  if (problem.name === undefined) return invalid(path, '', problem.message)
  const name = problem.name.replace(/^\./, '')
  const at = name === '' ? path : child(path, name)
  const value = problem.value ?? ''
  switch (problem.code) {
    case 'required':
      return required(at)
    case 'enum':
      return notSupported(
        at,
        problem.value,
        (problem.valid as readonly unknown[]).map((v) => (typeof v === 'string' ? v : JSON.stringify(v))),
      )
    case 'tooLong':
      return tooLong(at, problem.valid as number)
    case 'maxItems':
    case 'maxProperties':
      return tooMany(at, problem.value as number, problem.valid as number)
    case 'type':
      return typeInvalid(at, value, problem.message)
    case 'other':
      return invalid(at, value, problem.message)
  }
}

function validateRatcheting(schema: JsonSchemaProps, path: string, correlation: CorrelatedObject): Result {
  const result = validateNode(schema, path, correlation.value, correlation)
  if (result.valid || !correlation.unchanged()) return result
  const passed = new Result()
  passed.matches = result.matches
  return passed
}

function validateField(
  name: string,
  schema: JsonSchemaProps,
  path: string,
  value: unknown,
  parentPath: string,
  parent: CorrelatedObject | undefined,
): Result {
  const node = parent?.key(name)
  if (node === undefined || (parentPath === '' && (name === 'kind' || name === 'apiVersion'))) {
    return validateNode(schema, path, value, undefined)
  }
  return validateRatcheting(schema, path, node)
}

function types(schema: JsonSchemaProps): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined || schema.type === '' ? [] : [schema.type]
}

function validateNode(
  schema: JsonSchemaProps,
  path: string,
  value: unknown,
  correlation: CorrelatedObject | undefined,
): Result {
  const result = new Result()
  if (value === null || value === undefined) {
    const known = types(schema)
    if (known.length > 0 && schema.nullable !== true) result.add(wrongType(path, known.join(','), 'null'))
    else result.matches++
    validateEnum(schema, path, null, result)
    return result
  }
  const format = supportedFormat(schema)
  const run = (check: () => void): void => {
    check()
    result.matches++
  }
  if (types(schema).length > 0 || format !== '') run(() => validateType(schema, path, value, format, result))
  run(() => validateCombined(schema, path, value, correlation, result))
  if (typeof value === 'string') {
    run(() => validateString(schema, path, value, result))
    if (format !== '') {
      const matches = matchesFormat(format, value)
      if (matches !== undefined) {
        run(() => {
          if (!matches) result.add(wrongType(path, format, value))
        })
      }
    }
  }
  if (typeof value === 'number') run(() => validateNumber(schema, path, value, format, result))
  if (Array.isArray(value)) run(() => validateArray(schema, path, value, correlation, result))
  run(() => validateEnum(schema, path, value, result))
  if (typeof value === 'object' && !Array.isArray(value)) {
    run(() => validateObject(schema, path, value as Record<string, unknown>, correlation, result))
  }
  result.matches++
  return result
}

function wrongType(path: string, type: string, value: string): Problem {
  return { name: path, code: 'type', message: `${path} in body must be of type ${type}: ${goQuote(value)}`, value }
}

function validateType(schema: JsonSchemaProps, path: string, value: unknown, format: string, result: Result): void {
  const wanted = types(schema)
  const [actual, actualFormat] = typeOf(value)
  const numeric = wanted.includes('number') || wanted.includes('integer')
  const agrees = wanted.includes(actual) || (actual === 'integer' && wanted.includes('number'))
  const unformatted = typeof value === 'string' || Array.isArray(value)
  if (!unformatted && format !== '' && !agrees && actualFormat !== format) {
    result.add(wrongType(path, format, actualFormat))
    return
  }
  result.matches++
  if (!numeric && format !== '' && unformatted) return
  if (!agrees) {
    result.matches--
    result.add(wrongType(path, wanted.join(','), actual))
  }
}

function typeOf(value: unknown): readonly [string, string] {
  switch (typeof value) {
    case 'boolean':
      return ['boolean', '']
    case 'string':
      return ['string', '']
    case 'number':
      return Number.isInteger(value) ? ['integer', 'int64'] : ['number', 'float64']
    default:
      return Array.isArray(value) ? ['array', ''] : ['object', '']
  }
}

function validateString(schema: JsonSchemaProps, path: string, value: string, result: Result): void {
  const { maxLength, minLength, pattern } = schema
  if (maxLength !== undefined && runeCount(value) > maxLength) {
    const message = `${path} in body should be at most ${maxLength} chars long`
    return result.add({ name: path, code: 'tooLong', message, value, valid: maxLength })
  }
  if (minLength !== undefined && runeCount(value) < minLength) {
    const message = `${path} in body should be at least ${minLength} chars long`
    return result.add({ name: path, code: 'other', message, value })
  }
  if (pattern !== undefined && pattern !== '') {
    const compiled = compileRegexp(pattern)
    if ('error' in compiled) {
      const message = `${path} in body should match '${pattern}, but pattern is invalid: ${compiled.error}'`
      result.add({ name: path, code: 'other', message, value })
    } else if (!matchString(compiled.pattern, value)) {
      result.add({ name: path, code: 'other', message: `${path} in body should match '${pattern}'`, value })
    }
  }
}

/** Whether a number fits the schema's type and format; the text of the error if not. */
function outOfRange(value: number, type: string, format: string, prefix: string, path: string): string | undefined {
  let fits = true
  if (type === 'integer') {
    if (!Number.isInteger(value)) fits = false
    else if (format === 'int32') fits = value >= -2147483648 && value <= 2147483647
    else fits = value >= -9223372036854775808 && value < 9223372036854775808
  } else if (format === 'float') fits = Math.abs(value) <= 3.4028234663852886e38
  if (fits) return undefined
  if (format !== '') return `${prefix} value must be of type ${type} with format ${format} in ${path}`
  return `${prefix} value must be of type ${type} (default format) in ${path}`
}

function validateNumber(schema: JsonSchemaProps, path: string, value: number, format: string, result: Result): void {
  const wanted = types(schema)
  const type = wanted.length === 1 && (wanted[0] === 'integer' || wanted[0] === 'number') ? wanted[0] : ''
  const numberFormat = type === '' ? '' : format
  const integer = Number.isInteger(value)
  const range = (number: number, prefix: string): boolean => {
    const message = outOfRange(number, type, numberFormat, prefix, path)
    if (message !== undefined) result.add({ name: undefined, code: 'other', message })
    return message === undefined
  }
  const add = (message: string, bad: unknown = value): void => {
    result.add({ name: path, code: 'other', message, value: bad })
  }
  range(value, 'Checked')
  if (schema.multipleOf !== undefined) {
    const native = range(schema.multipleOf, 'MultipleOf') && integer
    const factor = native ? Math.trunc(schema.multipleOf) : schema.multipleOf
    if (factor <= 0) add(`factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`, factor)
    else if (native ? value % factor !== 0 : !isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor)) {
      add(`${path} in body should be a multiple of ${goNumber(factor)}`)
    }
  }
  if (schema.minimum !== undefined) {
    const native = range(schema.minimum, 'Minimum boundary') && integer
    const minimum = native ? Math.trunc(schema.minimum) : schema.minimum
    const exclusive = schema.exclusiveMinimum === true
    if (exclusive ? value <= minimum : value < minimum) {
      add(`${path} in body should be greater than ${exclusive ? '' : 'or equal to '}${goNumber(minimum)}`)
    }
  }
  if (schema.maximum !== undefined) {
    const native = range(schema.maximum, 'Maximum boundary') && integer
    const maximum = native ? Math.trunc(schema.maximum) : schema.maximum
    const exclusive = schema.exclusiveMaximum === true
    if (exclusive ? value >= maximum : value > maximum) {
      add(`${path} in body should be less than ${exclusive ? '' : 'or equal to '}${goNumber(maximum)}`)
    }
  }
  result.matches++
}

/** `swag.IsFloat64AJSONInteger`: an integer but for rounding. */
function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > 9007199254740991) return false
  const whole = Math.trunc(value)
  if (whole === value) return true
  if (whole === 0) return false
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9
}

function validateArray(
  schema: JsonSchemaProps,
  path: string,
  value: readonly unknown[],
  correlation: CorrelatedObject | undefined,
  result: Result,
): void {
  const { items, minItems, maxItems } = schema
  if (items !== undefined) {
    value.forEach((item, i) => {
      const at = `${path}[${i}]`
      const node = correlation?.index(i)
      result.merge(node === undefined ? validateNode(items, at, item, undefined) : validateRatcheting(items, at, node))
    })
  }
  const size = value.length
  if (minItems !== undefined && size < minItems) {
    const message = `${path} in body should have at least ${minItems} items`
    result.add({ name: path, code: 'other', message, value: size })
  }
  if (maxItems !== undefined && size > maxItems) {
    const message = `${path} in body should have at most ${maxItems} items`
    result.add({ name: path, code: 'maxItems', message, value: size, valid: maxItems })
  }
  if (
    schema.uniqueItems === true &&
    value.some((item, i) => value.slice(0, i).some((other) => deepEqual(item, other)))
  ) {
    result.add({ name: path, code: 'other', message: `${path} in body shouldn't contain duplicates` })
  }
  result.matches++
}

function validateEnum(schema: JsonSchemaProps, path: string, value: unknown, result: Result): void {
  const allowed = schema.enum
  if (allowed === undefined || allowed.length === 0) return
  if (value !== null && allowed.some((candidate) => equalsConverted(value, candidate))) return
  const message = `${path} in body should be one of [${allowed.map(goValue).join(' ')}]`
  result.add({ name: path, code: 'enum', message, value, valid: allowed })
}

/** Equality after Go's conversion of one number type to the other: 1.5 becomes 1 beside an integer. */
function equalsConverted(value: unknown, candidate: unknown): boolean {
  if (candidate === null) return false
  if (typeof value === 'number' && typeof candidate === 'number' && Number.isInteger(candidate)) {
    return Math.trunc(value) === candidate
  }
  return deepEqual(value, candidate)
}

function validateObject(
  schema: JsonSchemaProps,
  path: string,
  value: Record<string, unknown>,
  correlation: CorrelatedObject | undefined,
  result: Result,
): void {
  const { minProperties, maxProperties, properties = {}, additionalProperties } = schema
  const names = Object.keys(value)
  if (minProperties !== undefined && names.length < minProperties) {
    const message = `${path} in body should have at least ${minProperties} properties`
    result.add({ name: path, code: 'other', message, value: names.length })
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    const message = `${path} in body should have at most ${maxProperties} properties`
    result.add({ name: path, code: 'maxProperties', message, value: names.length, valid: maxProperties })
  }
  for (const name of names) {
    if (Object.hasOwn(properties, name)) continue
    if (additionalProperties === false) {
      const message = `${path}.${name} in body is a forbidden property`
      result.add({ name: path, code: 'other', message, value: name })
    } else if (typeof additionalProperties === 'object') {
      result.merge(validateField(name, additionalProperties, `${path}.${name}`, value[name], path, correlation))
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue
    const at = path === '' ? name : `${path}.${name}`
    result.merge(validateField(name, property, at, value[name], path, correlation))
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue
    const at = `${path}.${name}`
    result.add({ name: at, code: 'required', message: `${at} in body is required` })
  }
}

function validateCombined(
  schema: JsonSchemaProps,
  path: string,
  value: unknown,
  correlation: CorrelatedObject | undefined,
  result: Result,
): void {
  const { anyOf, oneOf, allOf, not } = schema
  const quoted = goQuote(path)
  const addPlain = (message: string): void => result.add({ name: undefined, code: 'other', message })
  if (anyOf !== undefined && anyOf.length > 0) {
    let best: Result | undefined
    let success: Result | undefined
    for (const alternative of anyOf) {
      const outcome = validateNode(alternative, path, value, correlation)
      if (outcome.valid) {
        success = outcome
        break
      }
      if (best === undefined || outcome.matches > best.matches) best = outcome
    }
    if (success === undefined) addPlain(`${quoted} must validate at least one schema (anyOf)`)
    result.merge(success ?? best!)
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    let best: Result | undefined
    let success: Result | undefined
    let valid = 0
    for (const alternative of oneOf) {
      const outcome = validateNode(alternative, path, value, correlation)
      if (outcome.valid) {
        valid++
        best = undefined
        success ??= outcome
      } else if (valid === 0 && (best === undefined || outcome.matches > best.matches)) best = outcome
    }
    if (valid === 1) result.merge(success!)
    else {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
      addPlain(`${quoted} must validate one and only one schema (oneOf). ${found}`)
      if (best !== undefined) result.merge(best)
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    let valid = 0
    for (const part of allOf) {
      const outcome = validateNode(part, path, value, correlation)
      if (outcome.valid) valid++
      result.merge(outcome)
    }
    if (valid !== allOf.length) {
      addPlain(`${quoted} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
    }
  }
  if (not !== undefined && validateNode(not, path, value, correlation).valid) {
    addPlain(`${quoted} must not validate the schema (not)`)
  }
  result.matches++
}

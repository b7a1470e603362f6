import { invalid, required, tooLong, tooMany, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import { nonNegative } from '../validation/common.ts'

const MAX_RULES = 20
const LONGEST_INDEXES = 64 * 1024

/** When an indexed job has succeeded (`pkg/apis/batch/validation: validateSuccessPolicy`). */
export function validateSuccessPolicy(path: string, spec: Fields): FieldError[] {
  const rules = listAt(fieldsAt(spec, 'successPolicy'), 'rules')
  const at = `${path}.rules`
  const errors: FieldError[] = []
  if (rules.length === 0) {
    errors.push(required(at, 'at least one rules must be specified when the successPolicy is specified'))
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(at, rules.length, MAX_RULES))
  const completions = numberAt(spec, 'completions') ?? 0
  return [...errors, ...rules.flatMap((rule, i) => validateRule(`${at}[${i}]`, rule, completions))]
}

function validateRule(path: string, rule: Fields, completions: number): FieldError[] {
  const errors: FieldError[] = []
  const count = numberAt(rule, 'succeededCount')
  const given = isSet(rule, 'succeededIndexes')
  if (count === undefined && !given) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'))
  }
  let total = 0
  if (given) {
    const at = `${path}.succeededIndexes`
    const text = stringAt(rule, 'succeededIndexes')
    if (text.length > LONGEST_INDEXES) errors.push(tooLong(at, LONGEST_INDEXES))
    try {
      total = countIndexes(text, completions)
    } catch (error) {
      errors.push(invalid(at, text, `error parsing succeededIndexes: ${(error as Error).message}`))
    }
  }
  if (count === undefined) return errors
  const at = `${path}.succeededCount`
  errors.push(...nonNegative(at, count))
  if (count > completions) {
    const text = `must be less than or equal to ${completions} (the number of specified completions)`
    errors.push(invalid(at, count, text))
  }
  if (given && count > total) {
    const text = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`
    errors.push(invalid(at, count, text))
  }
  return errors
}

/** How many indexes a text such as `1,3-5` names; throws what is wrong with it (`validateIndexesFormat`). */
export function countIndexes(text: string, completions: number): number {
  if (text === '') return 0
  let total = 0
  let last = -1
  for (const interval of text.split(',')) {
    const limits = interval.split('-')
    if (limits.length > 2) {
      const rule = "an index interval can have at most two parts separated by '-'"
      throw new Error(`the fragment ${JSON.stringify(interval)} violates the requirement that ${rule}`)
    }
    const [first, end = first] = limits.map((limit) => indexOf(limit, completions)) as [number, number?]
    if (limits.length > 1 && first >= end) throw new Error(outOfOrder(first, end))
    if (last >= first) throw new Error(outOfOrder(last, first))
    total += end - first + 1
    last = end
  }
  return total
}

function indexOf(text: string, completions: number): number {
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`cannot convert string to integer for index: ${JSON.stringify(text)}`)
  if (Number(text) >= completions) throw new Error(`too large index: ${JSON.stringify(text)}`)
  return Number(text)
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}

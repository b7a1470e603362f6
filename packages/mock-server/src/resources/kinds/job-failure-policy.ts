import { duplicate, invalid, notSupported, omitValue, required, tooMany, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, stringAt, type Fields } from '../fields.ts'
import { qualifiedName } from '../validation/names.ts'

const FAILURE_ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore']

/** What failed pods of a job mean for it (`pkg/apis/batch/validation: validatePodFailurePolicy`). */
export function validateFailurePolicy(path: string, policy: Fields, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const rules = listAt(policy, 'rules')
  if (rules.length > 20) errors.push(tooMany(`${path}.rules`, rules.length, 20))
  const podSpec = fieldsAt(fieldsAt(spec, 'template'), 'spec')
  const containers = new Set(
    ['containers', 'initContainers'].flatMap((list) => listAt(podSpec, list)).map((container) => container['name']),
  )
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.rules[${index}]`
    const action = stringAt(rule, 'action')
    if (action === '') errors.push(required(`${at}.action`, `valid values: ${quotedList(FAILURE_ACTIONS)}`))
    else if (action === 'FailIndex') {
      if (!isSet(spec, 'backoffLimitPerIndex'))
        errors.push(invalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'))
    } else if (!FAILURE_ACTIONS.includes(action)) errors.push(notSupported(`${at}.action`, action, FAILURE_ACTIONS))
    const codes = fieldsAt(rule, 'onExitCodes')
    const conditions = listAt(rule, 'onPodConditions')
    if (codes !== undefined) errors.push(...validateExitCodes(`${at}.onExitCodes`, codes, containers))
    for (const [i, condition] of conditions.entries()) {
      const here = `${at}.onPodConditions[${i}]`
      const status = stringAt(condition, 'status')
      errors.push(...qualifiedName(`${here}.type`, stringAt(condition, 'type')))
      if (!['False', 'True', 'Unknown'].includes(status))
        errors.push(notSupported(`${here}.status`, status, ['False', 'True', 'Unknown']))
    }
    if (codes !== undefined && conditions.length > 0) {
      errors.push(invalid(at, omitValue, 'specifying both OnExitCodes and OnPodConditions is not supported'))
    } else if (codes === undefined && conditions.length === 0) {
      errors.push(invalid(at, omitValue, 'specifying one of OnExitCodes and OnPodConditions is required'))
    }
  }
  return errors
}

function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => `"${value}"`).join(' ')}]`
}

function validateExitCodes(path: string, codes: Fields, containers: ReadonlySet<unknown>): FieldError[] {
  const errors: FieldError[] = []
  const operator = stringAt(codes, 'operator')
  const operators = ['In', 'NotIn']
  if (operator === '') errors.push(required(`${path}.operator`, `valid values: ${quotedList(operators)}`))
  else if (!operators.includes(operator)) errors.push(notSupported(`${path}.operator`, operator, operators))
  if (isSet(codes, 'containerName') && !containers.has(codes['containerName'])) {
    const text = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalid(`${path}.containerName`, codes['containerName'], text))
  }
  const values = (codes['values'] ?? []) as number[]
  if (values.length === 0) errors.push(invalid(`${path}.values`, null, 'at least one value is required'))
  if (values.length > 255) errors.push(tooMany(`${path}.values`, values.length, 255))
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0)
      errors.push(invalid(`${path}.values[${i}]`, value, 'must not be 0 for the In operator'))
    if (values.indexOf(value) < i) errors.push(duplicate(`${path}.values[${i}]`, value))
  })
  if (values.some((value, i) => i > 0 && values[i - 1]! > value))
    errors.push(invalid(`${path}.values`, values, 'must be ordered'))
  return errors
}

/** Indexed jobs may change completions together with parallelism, others never (`validateCompletions`). */

import { duplicate, forbidden, invalid, isLabelKey, required, type FieldError, type KubeObject } from '@freshread/core'
import { isSet, listAt, mapAt, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import type { Strategy } from '../strategy.ts'
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../validation/resource-names.ts'
import { specOf } from './common.ts'
import { newUid } from '../system-fields.ts'

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']
/** Lists of a range's amounts, in the order in which they are checked. */
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

/** LimitRanges (`pkg/registry/core/limitrange/strategy.go`). */
export const limitRange: Strategy = {
  allowCreateOnUpdate: true,
  prepareForCreate(object) {
    // Ranges need no name of their own.
    object.metadata.name ||= newUid()
  },
  validate: validateLimits,
  validateUpdate: validateLimits,
}

function validateLimits(object: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  const types = new Set<string>()
  for (const [i, limit] of listAt(specOf(object), 'limits').entries()) {
    const path = `spec.limits[${i}]`
    const type = stringAt(limit, 'type')
    errors.push(...validateType(`${path}.type`, type))
    if (types.has(type)) errors.push(duplicate(`${path}.type`, type))
    types.add(type)
    errors.push(...validateNames(path, type, limit))
    const names = new Set(
      LISTS.filter((list) => isChecked(type, list)).flatMap((list) => Object.keys(mapAt(limit, list))),
    )
    for (const name of names) errors.push(...validateAmounts(path, name, type, limit))
  }
  return errors
}

function validateType(path: string, type: string): FieldError[] {
  const errors = isLabelKey(type).map((text) => invalid(path, type, text))
  if (errors.length > 0 || type.includes('/') || TYPES.includes(type)) return errors
  return [invalid(path, type, 'must be a standard limit type or fully qualified')]
}

/** Defaults are not for whole pods. */
function isChecked(type: string, list: string): boolean {
  return type !== 'Pod' || !list.startsWith('default')
}

function validateNames(path: string, type: string, limit: Fields): FieldError[] {
  const errors: FieldError[] = []
  const validateName = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName
  for (const list of LISTS) {
    if (list === 'maxLimitRequestRatio' && type === 'PersistentVolumeClaim') {
      if (!isSet(mapAt(limit, 'min'), 'storage') && !isSet(mapAt(limit, 'max'), 'storage')) {
        errors.push(
          required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
        )
      }
    }
    const names = Object.keys(mapAt(limit, list))
    if (isChecked(type, list)) for (const name of names) errors.push(...validateName(`${path}.${list}[${name}]`, name))
    else if (names.length > 0) errors.push(forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"))
  }
  return errors
}

function validateAmounts(path: string, name: string, type: string, limit: Fields): FieldError[] {
  const amount = (list: string): Quantity | undefined => {
    const text = isChecked(type, list) ? mapAt(limit, list)[name] : undefined
    return text === undefined ? undefined : Quantity.parse(text)
  }
  const errors: FieldError[] = []
  const refuse = (list: string, value: Quantity, text: string): void => {
    errors.push(invalid(`${path}.${list}[${name}]`, String(value), text))
  }
  const [min, max, standard, request, ratio] = [
    amount('min'),
    amount('max'),
    amount('default'),
    amount('defaultRequest'),
    amount('maxLimitRequestRatio'),
  ]
  const above = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
    a !== undefined && b !== undefined && a.compare(b) > 0
  if (above(min, max)) refuse('min', min!, `min value ${min} is greater than max value ${max}`)
  if (above(min, request))
    refuse('defaultRequest', request!, `min value ${min} is greater than default request value ${request}`)
  if (above(request, max))
    refuse('defaultRequest', request!, `default request value ${request} is greater than max value ${max}`)
  if (above(request, standard)) {
    refuse(
      'defaultRequest',
      request!,
      `default request value ${request} is greater than default limit value ${standard}`,
    )
  }
  if (above(min, standard)) refuse('default', min!, `min value ${min} is greater than default value ${standard}`)
  if (above(standard, max)) refuse('default', max!, `default value ${standard} is greater than max value ${max}`)
  if (ratio !== undefined) {
    if (ratio.compare(Quantity.parse('1')) < 0) refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`)
    if (min !== undefined && max !== undefined) {
      const most = Number(max.nano) / Number(min.nano)
      if (Number(ratio.nano) / 1e9 > most) {
        refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`)
      }
    }
  }
  if (
    !isOvercommitAllowed(name) &&
    standard !== undefined &&
    request !== undefined &&
    standard.compare(request) !== 0
  ) {
    refuse(
      'defaultRequest',
      request,
      `default value ${standard} must equal to defaultRequest value ${request} in ${name}`,
    )
  }
  return errors
}

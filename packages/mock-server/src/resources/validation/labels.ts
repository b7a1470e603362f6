import {
  forbidden,
  invalid,
  isLabelKey,
  isLabelValue,
  required,
  tooLong,
  utf8Length,
  type FieldError,
} from '@freshread/core'
import { fieldsAt, listAt, mapAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { qualifiedName } from './names.ts'

const MAX_ANNOTATIONS_SIZE = 256 * 1024

/** Labels of an object or a template; errors name the map, not the key. */
export function validateLabels(path: string, labels: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...qualifiedName(path, key), ...isLabelValue(value).map((text) => invalid(path, value, text)))
  }
  return errors
}

/** Annotations of a template; keys may have capitals. */
export function validateAnnotations(path: string, annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...isLabelKey(key.toLowerCase()).map((text) => invalid(path, key, text)))
    size += utf8Length(key) + utf8Length(value)
  }
  if (size > MAX_ANNOTATIONS_SIZE) errors.push(tooLong(path, MAX_ANNOTATIONS_SIZE))
  return errors
}

/** A label selector (`apimachinery: pkg/apis/meta/v1/validation: ValidateLabelSelector`); none is fine. */
export function validateLabelSelector(path: string, selector: Fields | undefined): FieldError[] {
  if (selector === undefined) return []
  const errors = validateLabels(`${path}.matchLabels`, mapAt(selector, 'matchLabels'))
  for (const [index, requirement] of listAt(selector, 'matchExpressions').entries()) {
    const at = `${path}.matchExpressions[${index}]`
    const values = stringsAt(requirement, 'values')
    const operator = stringAt(requirement, 'operator')
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      if (values.length > 0) errors.push(forbidden(`${at}.values`, text))
    } else errors.push(invalid(`${at}.operator`, operator, 'not a valid selector operator'))
    errors.push(...qualifiedName(`${at}.key`, stringAt(requirement, 'key')))
    for (const [i, value] of values.entries()) {
      errors.push(...isLabelValue(value).map((text) => invalid(`${at}.values[${i}]`, value, text)))
    }
  }
  return errors
}

/** Whether a selector says nothing, and so selects everything. */
export function isEmptySelector(selector: Fields | undefined): boolean {
  return Object.keys(mapAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0
}

/** Whether a valid selector matches labels; none matches nothing (`metav1: LabelSelectorAsSelector`). */
export function selectorMatches(selector: Fields | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false
  for (const [key, value] of Object.entries(mapAt(selector, 'matchLabels'))) if (labels[key] !== value) return false
  return listAt(selector, 'matchExpressions').every((requirement) => {
    const key = stringAt(requirement, 'key')
    const has = Object.hasOwn(labels, key)
    const among = has && stringsAt(requirement, 'values').includes(labels[key]!)
    switch (requirement['operator']) {
      case 'In':
        return among
      case 'NotIn':
        return !among
      case 'Exists':
        return has
      default:
        return !has
    }
  })
}

/** Labels of the object's or the template's metadata. */
export function labelsOf(object: object | undefined): Readonly<Record<string, string>> {
  return mapAt(fieldsAt(object, 'metadata'), 'labels')
}

/** Annotations of the object's or the template's metadata. */
export function annotationsOf(object: object | undefined): Readonly<Record<string, string>> {
  return mapAt(fieldsAt(object, 'metadata'), 'annotations')
}

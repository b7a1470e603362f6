import { duplicate, forbidden, invalid, notFound, required, type FieldError } from '@freshread/core'
import { listAt, mapAt, stringAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { checked, isDNSLabel } from './names.ts'
import {
  isHugePages,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceQuantity,
} from './resource-names.ts'

/** Requests and limits (`ValidateContainerResourceRequirements`, and of a pod's own with another check of the names). */
export function validateResourceRequirements(
  path: string,
  requirements: Fields | undefined,
  claimNames: readonly string[],
  checkName: (path: string, name: string) => FieldError[] = validateContainerResourceName,
): FieldError[] {
  const errors: FieldError[] = []
  const limits = mapAt(requirements, 'limits')
  const requests = mapAt(requirements, 'requests')
  for (const [name, text] of Object.entries(limits))
    errors.push(...validateAmount(`${path}.limits[${name}]`, name, text, checkName))
  for (const [name, text] of Object.entries(requests)) {
    errors.push(...validateAmount(`${path}.requests[${name}]`, name, text, checkName))
    const limit = limits[name]
    if (limit === undefined) {
      if (!isOvercommitAllowed(name)) {
        errors.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
      }
      continue
    }
    const order = Quantity.parse(text).compare(Quantity.parse(limit))
    if (order !== 0 && !isOvercommitAllowed(name)) {
      errors.push(invalid(`${path}.requests`, text, `must be equal to ${name} limit of ${limit}`))
    } else if (order > 0)
      errors.push(invalid(`${path}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`))
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(path, 'HugePages require cpu or memory'))
  }
  errors.push(...validateClaims(`${path}.claims`, listAt(requirements, 'claims'), claimNames))
  return errors
}

function validateAmount(
  path: string,
  name: string,
  text: string,
  checkName: (path: string, name: string) => FieldError[],
): FieldError[] {
  const errors = [...checkName(path, name), ...validateResourceQuantity(path, name, text)]
  if (!isHugePages(name)) return errors
  const page = Quantity.tryParse(name.slice('hugepages-'.length))
  const whole = page !== undefined && page.nano > 0n && page.isInteger && Quantity.parse(text).value % page.value === 0n
  if (!whole) errors.push(invalid(path, text, `${text} is not positive integer multiple of ${name}`))
  return errors
}

function validateClaims(path: string, claims: readonly Fields[], claimNames: readonly string[]): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(claim, 'name')
    if (name === '') {
      errors.push(required(at, ''))
      continue
    }
    const request = stringAt(claim, 'request')
    if (seen.has(name)) errors.push(duplicate(at, name))
    else {
      if (request !== '') errors.push(...checked(`${at}.request`, request, isDNSLabel))
      const key = request === '' ? name : `${name}/${request}`
      if (seen.has(key)) errors.push(duplicate(at, key))
      else if (request === '' && [...seen].some((other) => other.startsWith(`${name}/`)))
        errors.push(duplicate(at, name))
      seen.add(key)
    }
    if (claimNames.includes(name)) continue
    const known = claimNames.length === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`
    const error = notFound(at, name)
    const detail = `: must be one of the names in pod.spec.resourceClaims${known}`
    errors.push({ ...error, body: error.body + detail, message: error.message + detail })
  }
  return errors
}

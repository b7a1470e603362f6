import { invalid, required, tooLong, type FieldError } from '@freshread/core'
import { isDNSLabel, isDNSSubdomain, type Check } from './names.ts'

const LONGEST_DOMAIN = 253
const LONGEST_NAME = 571

/** A signer: `example.com/name` (`pkg/apis/core/validation: ValidateSignerName`). */
export function validateSignerName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path, '')]
  const [domain, rest, ...more] = name.split('/') as [string, ...string[]]
  if (rest === undefined || more.length > 0) {
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  }
  const errors: FieldError[] = []
  if (domain.length > LONGEST_DOMAIN) errors.push(tooLong(path, LONGEST_DOMAIN))
  errors.push(...firstWrongLabel(path, domain, isDNSLabel))
  if (!domain.includes('.'))
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'))
  errors.push(...firstWrongLabel(path, rest, isDNSSubdomain))
  if (name.length > LONGEST_NAME) errors.push(tooLong(path, LONGEST_NAME))
  return errors
}

function firstWrongLabel(path: string, value: string, check: Check): FieldError[] {
  for (const label of value.split('.')) {
    const texts = check(label)
    if (texts.length > 0)
      return texts.map((text) => invalid(path, value, `validating label ${JSON.stringify(label)}: ${text}`))
  }
  return []
}

import { regexError } from '@freshread/core'

/*
 * The forms of object names (`apimachinery: pkg/util/validation/validation.go`). Limits count bytes and say
 * "characters", unlike those of labels.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?'
const labelPattern = new RegExp(`^${LABEL}$`)
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`)
const dns1035Pattern = new RegExp(`^${DNS1035_LABEL}$`)

const encoder = new TextEncoder()

/** Refuses names of a kind: texts of what is wrong, none when it is right. */
export type NameCheck = (name: string) => readonly string[]

function tooLong(name: string, limit: number): readonly string[] {
  return name.length > limit || encoder.encode(name).length > limit ? [`must be no more than ${limit} characters`] : []
}

/** Most kinds' names: `apimachinery: pkg/api/validation: NameIsDNSSubdomain`. */
export const nameIsDNSSubdomain: NameCheck = (name) => {
  const errors = [...tooLong(name, 253)]
  if (!subdomainPattern.test(name)) {
    errors.push(
      regexError(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN,
        'example.com',
      ),
    )
  }
  return errors
}

/** Names of namespaces: `NameIsDNSLabel`. */
export const nameIsDNSLabel: NameCheck = (name) => {
  const errors = [...tooLong(name, 63)]
  if (!labelPattern.test(name)) {
    errors.push(
      regexError(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        LABEL,
        'my-name',
        '123-abc',
      ),
    )
  }
  return errors
}

/** Names of services: `NameIsDNS1035Label`. */
export const nameIsDNS1035Label: NameCheck = (name) => {
  const errors = [...tooLong(name, 63)]
  if (!dns1035Pattern.test(name)) {
    errors.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS1035_LABEL,
        'my-name',
        'abc-123',
      ),
    )
  }
  return errors
}

/** What every name must be, whatever its kind (`apimachinery: pkg/api/validation/path: IsValidPathSegmentName`). */
export const isPathSegmentName: NameCheck = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  const errors: string[] = []
  for (const char of '/%') if (name.includes(char)) errors.push(`may not contain '${char}'`)
  return errors
}

/** A name that something is still added to may end in a dash (`maskTrailingDash`). */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}

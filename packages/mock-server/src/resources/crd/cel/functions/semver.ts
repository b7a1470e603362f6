import { SemverValue } from '../library-values.ts'
import { CelError, type Value } from '../values.ts'
import { declare, type FunctionDecl } from './declare.ts'
import { orderings } from './ordering.ts'

/* Semantic versions (`apiserver: pkg/cel/library/semverlib.go`). */

const text = (value: Value | undefined): string => value as string

const quoted = (value: string): string => JSON.stringify(value)

const semverPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/

function readSemver(raw: string, normalize: boolean): SemverValue | undefined {
  const match = semverPattern.exec(normalize ? normalized(raw) : raw)
  if (match === null) return undefined
  const [, major, minor, patch, prerelease] = match as unknown as [string, string, string, string, string | undefined]
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const
  if (numbers.some((part) => BigInt.asUintN(64, part) !== part)) return undefined
  return new SemverValue(numbers, prerelease?.split('.') ?? [])
}

/** Without `v` and leading zeros, and with all three numbers. */
function normalized(raw: string): string {
  const [major = '', minor, ...rest] = raw.replace(/^v/, '').split('.')
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])].map(
    (part) => {
      if (part.length < 2) return part
      const trimmed = part.replace(/^0+/, '')
      return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`
    },
  )
  if (parts.length < 3) {
    // A shorter version must not have more behind it.
    if (/[-+]/.test(parts.at(-1)!)) return parts.join('.')
    while (parts.length < 3) parts.push('0')
  }
  return parts.join('.')
}

function semverError(raw: string): CelError {
  if (raw === '') return new CelError('Version string empty')
  const parts = raw.split('.')
  if (parts.length < 3) return new CelError('No Major.Minor.Patch elements found')
  for (const [i, name] of ['major', 'minor'].entries()) {
    if (!/^\d*$/.test(parts[i]!))
      return new CelError(`Invalid character(s) found in ${name} number ${quoted(parts[i]!)}`)
    if (/^0\d/.test(parts[i]!)) {
      const what = name === 'major' ? 'Major' : 'Minor'
      return new CelError(`${what} number must not contain leading zeroes ${quoted(parts[i]!)}`)
    }
  }
  const patch = parts[2]!.replace(/[-+].*$/s, '')
  if (/^0\d/.test(patch)) return new CelError(`Patch number must not contain leading zeroes ${quoted(patch)}`)
  return new CelError(`Invalid character(s) found in patch number ${quoted(patch)}`)
}

const semver = (value: Value | undefined): SemverValue => value as SemverValue

export const semverFunctions: readonly FunctionDecl[] = [
  declare(
    'semver',
    'string_to_semver (string) semver\nstring_bool_to_semver (string, bool) semver',
    ([value, normalize]) =>
      readSemver(text(value), normalize === true) ??
      semverError(normalize === true ? normalized(text(value)) : text(value)),
  ),
  declare(
    'isSemver',
    'is_semver_string (string) bool\nis_semver_string_bool (string, bool) bool',
    ([value, normalize]) => readSemver(text(value), normalize === true) !== undefined,
  ),
  ...orderings('semver', (a, b) => semver(a).compare(semver(b))),
  declare('major', 'semver_major semver.() int', ([value]) => semver(value).numbers[0]),
  declare('minor', 'semver_minor semver.() int', ([value]) => semver(value).numbers[1]),
  declare('patch', 'semver_patch semver.() int', ([value]) => semver(value).numbers[2]),
]

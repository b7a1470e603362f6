import type { FieldError } from '@freshread/core'

/** Some things are looked at more than once; what is wrong with them is told once. */
export function withoutDuplicates(errors: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>()
  return errors.filter(({ type, message }) => {
    const key = `${type} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}

import type { FieldError } from '@freshread/core'

/** Some things are looked at more than once; what is wrong with them is told once, except of definitions. */
export function withoutDuplicates(errors: readonly FieldError[], group = ''): FieldError[] {
  if (group === 'apiextensions.k8s.io') return [...errors]
  const seen = new Set<string>()
  return errors.filter(({ type, message }) => {
    const key = `${type} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}

import { RE2JS } from 're2js'

/** A compiled pattern, or the text of `regexp.Compile`'s error. */
export type GoRegexp = { readonly pattern: RE2JS } | { readonly error: string }

const cache = new Map<string, GoRegexp>()

/** Compiles a pattern in Go's syntax; matching takes linear time. The last thousand patterns are kept. */
export function compileRegexp(source: string): GoRegexp {
  let compiled = cache.get(source)
  if (compiled === undefined) {
    try {
      compiled = { pattern: RE2JS.compile(source) }
    } catch (error) {
      compiled = { error: (error as Error).message }
    }
    if (cache.size >= 1000) cache.clear()
    cache.set(source, compiled)
  }
  return compiled
}

/** `Regexp.MatchString`. */
export function matchString(pattern: RE2JS, text: string): boolean {
  return pattern.matcher(text).find()
}

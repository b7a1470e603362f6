/** Field names of schemas as CEL identifiers, and back (`apiserver: pkg/cel/escaping.go`). */

export const reservedSymbols: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const replacements: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const originals: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** The identifier for a field; `undefined` where there can be none. */
export function escapeIdent(name: string): string | undefined {
  if (!/^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/.test(name)) return undefined
  if (reservedSymbols.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => replacements[part]!)
}

/** The field that an identifier stands for; `undefined` for an escape that nobody writes. */
export function unescapeIdent(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped
  let valid = true
  const name = escaped.replace(/__([^_]+)__/g, (whole, content: string) => {
    const original = Object.hasOwn(originals, content) ? originals[content] : undefined
    if (original !== undefined) return original
    if (!reservedSymbols.has(content) || whole.length !== escaped.length) valid = false
    return content
  })
  return valid ? name : undefined
}

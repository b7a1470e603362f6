import { goQuote } from '../errors/go-text.ts'

/*
 * Storage keys. They are ordered by the bytes of their UTF-8 form, as Go and etcd order them; that differs
 * from JavaScript's `<` where a character beyond U+FFFF meets one from U+E000 on.
 */

/** Compares keys by their UTF-8 bytes. */
export function compareKeys(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0
  if (wide.test(a) && wide.test(b)) return orderKey(a) < orderKey(b) ? -1 : 1
  return a < b ? -1 : 1
}

const wide = /[\ud800-\uffff]/

/**
 * A form of the key that `<` and `>` order by UTF-8 bytes: for nearly every key, the key itself. For sorted
 * structures that compare a lot.
 */
export function orderKey(key: string): string {
  if (!wide.test(key)) return key
  let out = ''
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    // Surrogates change places with what is above them.
    out += String.fromCharCode(unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)
  }
  return out
}

/** The first key after all that start with `prefix`: the end of its range. `''` has no end that a key could name. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === 0x10ffff) continue
    points.push(last === 0xd7ff ? 0xe000 : last + 1)
    return String.fromCodePoint(...points)
  }
  throw new RangeError(`no key is greater than all that start with ${goQuote(prefix)}`)
}

/** Whether `key` is `prefix` or lies under it, at a border between path segments (`pkg/storage/cacher/key: HasPathPrefix`). */
export function hasPathPrefix(key: string, prefix: string): boolean {
  if (!key.startsWith(prefix)) return false
  return key.length === prefix.length || prefix.endsWith('/') || key[prefix.length] === '/'
}

/**
 * Checks a key and makes it one that names a range where it is recursive (`pkg/storage/interfaces.go:
 * PrepareKey`): the trailing slash keeps `/a` from finding `/ab`. Throws a plain Error, which is a 500 over
 * HTTP: names are checked before they become keys.
 */
export function prepareKey(resourcePrefix: string, key: string, recursive: boolean): string {
  if (/(^|\/)\.\.?(\/|$)/.test(key)) throw new Error(`invalid key: ${goQuote(key)}`)
  if (key === '' || key === '/') throw new Error(`empty key: ${goQuote(key)}`)
  const prepared = recursive && !key.endsWith('/') ? key + '/' : key
  if (!prepared.startsWith(resourcePrefix)) {
    throw new Error(`invalid key: ${goQuote(prepared)} lacks resource prefix: ${goQuote(resourcePrefix)}`)
  }
  return prepared
}

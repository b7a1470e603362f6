import type { Clock } from '@freshread/core'

/** A new `metadata.uid`. */
export function newUid(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  // Pages served over plain HTTP have no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The present as Kubernetes writes times: RFC 3339 in UTC, whole seconds (`apimachinery: metav1.Time`). */
export function timestamp(clock: Clock, offsetSeconds = 0): string {
  return formatTime(clock.now() + offsetSeconds * 1000)
}

/** A time in milliseconds since the epoch as Kubernetes writes it. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`
}

/** No vowels and no look-alikes, so that no words come out (`apimachinery: pkg/util/rand`). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5
const MAX_GENERATED_NAME_LENGTH = 63

/** Makes a name of a `generateName` (`pkg/storage/names/generate.go: simpleNameGenerator`). */
export function generateName(base: string): string {
  let suffix = ''
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += ALPHABET[Math.floor(Math.random() * ALPHABET.length)]
  return base.slice(0, MAX_GENERATED_NAME_LENGTH - SUFFIX_LENGTH) + suffix
}

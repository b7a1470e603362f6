import { KVError } from '@freshread/core'

/** Whether an object was too large for its storage (`pkg/endpoints/handlers/rest.go: isTooLargeError`). */
export function isTooLarge(error: unknown): boolean {
  return error instanceof KVError && error.code === 'too-large'
}

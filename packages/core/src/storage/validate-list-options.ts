import { newBadRequest } from '../errors/api-errors.ts'
import { decodeContinue } from '../meta/continue-token.ts'
import { parseResourceVersion } from '../meta/resource-version.ts'
import type { ListOptions } from './storage.ts'

/** Where a list reads. */
export interface ListPosition {
  /** The exact revision to read at; 0 for the latest. */
  readonly withRevision: bigint
  /** The full key to start at; `''` for the beginning. */
  readonly continueKey: string
}

/**
 * Makes sense of a list's resource version, match and continue token (`pkg/storage/interfaces.go:
 * ValidateListOptions`). Throws a 400, or a plain Error for a match nobody knows.
 * @param keyPrefix what the token's start key is relative to; ends in a slash for a recursive list
 */
export function validateStorageListOptions(
  keyPrefix: string,
  options: Pick<ListOptions, 'recursive' | 'resourceVersion' | 'resourceVersionMatch' | 'predicate'>,
): ListPosition {
  const { resourceVersion, resourceVersionMatch, predicate, recursive } = options
  if (recursive && predicate.continue !== '') {
    const { startKey, resourceVersion: tokenVersion } = readToken(predicate.continue, keyPrefix)
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw newBadRequest('specifying resource version is not allowed when using continue')
    }
    return { withRevision: tokenVersion > 0n ? tokenVersion : 0n, continueKey: startKey }
  }
  if (resourceVersion === '') return { withRevision: 0n, continueKey: '' }
  const parsed = parseRequestedVersion(resourceVersion)
  switch (resourceVersionMatch) {
    case 'NotOlderThan':
      return { withRevision: 0n, continueKey: '' }
    case 'Exact':
      return { withRevision: parsed, continueKey: '' }
    case '':
      // Before there was a match, a limit made the resource version an exact one.
      return { withRevision: recursive && predicate.limit > 0 ? parsed : 0n, continueKey: '' }
    default:
      throw new Error(`unknown ResourceVersionMatch value: ${resourceVersionMatch}`)
  }
}

function readToken(token: string, keyPrefix: string): ReturnType<typeof decodeContinue> {
  try {
    return decodeContinue(token, keyPrefix)
  } catch (error) {
    throw newBadRequest(`invalid continue token: ${(error as Error).message}`)
  }
}

/** Parses a resource version; what is wrong with it is a 400. */
export function parseRequestedVersion(resourceVersion: string): bigint {
  try {
    return parseResourceVersion(resourceVersion)
  } catch (error) {
    throw newBadRequest(`invalid resource version: ${(error as Error).message}`)
  }
}

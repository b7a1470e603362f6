import { describe, expect, it } from 'vitest'
import {
  newBadRequest,
  newNotFound,
  newResourceExpired,
  newServerTimeout,
  newTimeoutError,
  newTooLargeResourceVersionError,
  newTooManyRequests,
} from './api-errors.ts'
import {
  findStatusError,
  isBadRequest,
  isGone,
  isNotFound,
  isResourceExpired,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  suggestsClientDelay,
} from './guards.ts'
import { StatusError } from './status.ts'

const pods = { group: '', resource: 'pods' }

describe('guards', () => {
  it('tell errors by their reason', () => {
    expect(isNotFound(newNotFound(pods, 'a'))).toBe(true)
    expect(isNotFound(newBadRequest('no'))).toBe(false)
    expect(isNotFound(new Error('not found'))).toBe(false)
    expect(isNotFound(undefined)).toBe(false)
    expect(isResourceExpired(newResourceExpired('old'))).toBe(true)
    // Expired is a 410, and not Gone.
    expect(isGone(newResourceExpired('old'))).toBe(false)
  })

  it('go by the code where the reason is unknown', () => {
    expect(isNotFound(new StatusError({ metadata: {}, code: 404 }))).toBe(true)
    expect(isNotFound(new StatusError({ metadata: {}, code: 404, reason: 'SomethingNew' }))).toBe(true)
    expect(isBadRequest(new StatusError({ metadata: {}, code: 400, reason: 'NotFound' }))).toBe(false)
    expect(isTooManyRequests(new StatusError({ metadata: {}, code: 429, reason: 'Timeout' }))).toBe(true)
  })

  it('follow causes', () => {
    const status = newNotFound(pods, 'a')
    const wrapped = new Error('wrapped', { cause: new Error('twice', { cause: status }) })
    expect(isNotFound(wrapped)).toBe(true)
    expect(findStatusError(wrapped)).toBe(status)
  })

  it('tell a resource version that is not there yet from any other timeout', () => {
    expect(isTooLargeResourceVersion(newTooLargeResourceVersionError(5, 4, 0))).toBe(true)
    const plain = newTimeoutError('request did not complete within the allotted timeout', 0)
    expect(isTimeout(plain)).toBe(true)
    expect(isTooLargeResourceVersion(plain)).toBe(false)
    const causes = [{ reason: 'ResourceVersionTooLarge' }]
    expect(isTooLargeResourceVersion(new StatusError({ metadata: {}, code: 429, details: { causes } }))).toBe(false)
  })

  it('tell how long to wait, if at all', () => {
    expect(suggestsClientDelay(newTooManyRequests('later', 3))).toBe(3)
    expect(suggestsClientDelay(newTooManyRequests('later', 0))).toBeUndefined()
    expect(suggestsClientDelay(newServerTimeout(pods, 'list', 0))).toBe(0)
    expect(suggestsClientDelay(new Error('x'))).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenericServerResponse,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeoutError,
  newTooLargeResourceVersionError,
  newTooManyRequests,
  newUnauthorized,
  newUnsupportedMediaType,
} from './api-errors.ts'
import { forbidden, notSupported } from './field-error.ts'
import type { StatusError } from './status.ts'

const pods = { group: '', resource: 'pods' }
const deployments = { group: 'apps', resource: 'deployments' }

/** The Status as it goes over the wire, without what all of them have. */
function wire(error: StatusError): string {
  const text = JSON.stringify(error.status)
  const start = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
  expect(text.startsWith(start)).toBe(true)
  return text.slice(start.length, -1)
}

describe('API errors', () => {
  it.each([
    [newBadRequest('no'), '"message":"no","reason":"BadRequest","code":400'],
    [newUnauthorized(''), '"message":"not authorized","reason":"Unauthorized","code":401'],
    [
      newForbidden(pods, 'a', 'not yours'),
      '"message":"pods \\"a\\" is forbidden: not yours","reason":"Forbidden","details":{"name":"a","kind":"pods"},"code":403',
    ],
    [
      newForbidden({ group: '', resource: '' }, '', 'not yours'),
      '"message":"forbidden: not yours","reason":"Forbidden","details":{},"code":403',
    ],
    [
      newNotFound(deployments, 'a'),
      '"message":"deployments.apps \\"a\\" not found","reason":"NotFound","details":{"name":"a","group":"apps","kind":"deployments"},"code":404',
    ],
    [
      newMethodNotSupported(deployments, 'watch'),
      '"message":"watch is not supported on resources of kind \\"deployments.apps\\"","reason":"MethodNotAllowed","details":{"group":"apps","kind":"deployments"},"code":405',
    ],
    [
      newNotAcceptable(['application/json', 'application/yaml']),
      '"message":"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406',
    ],
    [
      newAlreadyExists(pods, 'a'),
      '"message":"pods \\"a\\" already exists","reason":"AlreadyExists","details":{"name":"a","kind":"pods"},"code":409',
    ],
    [
      newConflict(pods, 'a', new Error('changed')),
      '"message":"Operation cannot be fulfilled on pods \\"a\\": changed","reason":"Conflict","details":{"name":"a","kind":"pods"},"code":409',
    ],
    [
      newApplyConflict([{ reason: 'FieldManagerConflict', message: 'm', field: '.f' }], 'one conflict'),
      '"message":"one conflict","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"m","field":".f"}]},"code":409',
    ],
    [newResourceExpired('old'), '"message":"old","reason":"Expired","code":410'],
    [
      newRequestEntityTooLarge('limit is 3'),
      '"message":"Request entity too large: limit is 3","reason":"RequestEntityTooLarge","code":413',
    ],
    [
      newUnsupportedMediaType(['a/b']),
      '"message":"the body of the request was in an unknown format - accepted media types include: a/b","reason":"UnsupportedMediaType","code":415',
    ],
    [
      newTooManyRequests('later', 3),
      '"message":"later","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429',
    ],
    [newTooManyRequests('later', 0), '"message":"later","reason":"TooManyRequests","details":{},"code":429'],
    [
      newInternalError(new Error('broken')),
      '"message":"Internal error occurred: broken","reason":"InternalError","details":{"causes":[{"message":"broken"}]},"code":500',
    ],
    [
      newServerTimeout(pods, 'list', 2),
      '"message":"The list operation against pods could not be completed at this time, please try again.","reason":"ServerTimeout","details":{"name":"list","kind":"pods","retryAfterSeconds":2},"code":500',
    ],
    [newServiceUnavailable('down'), '"message":"down","reason":"ServiceUnavailable","code":503'],
    [newTimeoutError('too slow', 0), '"message":"Timeout: too slow","reason":"Timeout","details":{},"code":504'],
    [
      newTooLargeResourceVersionError(1000000n, 80, 1),
      '"message":"Timeout: Too large resource version: 1000000, current: 80","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504',
    ],
    [
      newTooLargeResourceVersionError(18446744073709551615n, 80, 0),
      '"message":"Timeout: Too large resource version: 18446744073709551615, current: 80","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]},"code":504',
    ],
    [
      newGenericServerResponse(409, { verb: 'POST', groupResource: pods, name: 'a' }),
      '"message":"the server reported a conflict (post pods a)","reason":"AlreadyExists","details":{"name":"a","kind":"pods"},"code":409',
    ],
    [
      newGenericServerResponse(502, { serverMessage: 'bad "gateway"', unexpected: true }),
      '"message":"an error on the server (\\"bad \\\\\\"gateway\\\\\\"\\") has prevented the request from succeeding","reason":"InternalError","details":{"causes":[{"reason":"UnexpectedServerResponse","message":"bad \\"gateway\\""}]},"code":502',
    ],
  ])('answers %s', (error, expected) => {
    expect(wire(error)).toBe(expected)
  })

  it('says all that is invalid, each with a cause of its own', () => {
    const kind = { group: 'meta.k8s.io', kind: 'ListOptions' }
    const errors = [forbidden('resourceVersionMatch', 'not here'), notSupported('resourceVersionMatch', 'x', ['y'])]
    expect(wire(newInvalid(kind, '', errors))).toBe(
      '"message":"ListOptions.meta.k8s.io \\"\\" is invalid: [resourceVersionMatch: Forbidden: not here, resourceVersionMatch: Unsupported value: \\"x\\": supported values: \\"y\\"]","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueForbidden","message":"Forbidden: not here","field":"resourceVersionMatch"},{"reason":"FieldValueNotSupported","message":"Unsupported value: \\"x\\": supported values: \\"y\\"","field":"resourceVersionMatch"}]},"code":422',
    )
    expect(newInvalid({ group: '', kind: 'Pod' }, 'a', errors.slice(0, 1)).message).toBe(
      'Pod "a" is invalid: resourceVersionMatch: Forbidden: not here',
    )
  })

  it('keeps the error it stands for as its cause', () => {
    const cause = new Error('changed')
    expect(newConflict(pods, 'a', cause).cause).toBe(cause)
  })
})

import { describe, expect, it } from 'vitest'
import {
  errorToStatus,
  interpretCreateError,
  interpretDeleteError,
  interpretGetError,
  interpretListError,
  interpretUpdateError,
} from './interpret.ts'
import { newNotFound } from './api-errors.ts'
import { StatusError } from './status.ts'
import {
  InternalStorageError,
  newCorruptObjectError,
  newInvalidObjectError,
  newKeyExistsError,
  newKeyNotFoundError,
  newResourceVersionConflictsError,
  newStorageTimeoutError,
  newUnreachableError,
} from './storage-error.ts'

const pods = { group: '', resource: 'pods' }
const key = '/registry/pods/ns/a'

const interpret = {
  get: (error: unknown) => interpretGetError(error, pods, 'a'),
  list: (error: unknown) => interpretListError(error, pods),
  create: (error: unknown) => interpretCreateError(error, pods, 'a'),
  update: (error: unknown) => interpretUpdateError(error, pods, 'a'),
  delete: (error: unknown) => interpretDeleteError(error, pods, 'a'),
}

const same = 'unchanged'
const errors = {
  'not found': [
    newKeyNotFoundError(key, 0),
    { get: 'NotFound', list: 'NotFound', create: same, update: 'NotFound', delete: 'NotFound' },
  ],
  exists: [
    newKeyExistsError(key, 0),
    { get: same, list: same, create: 'AlreadyExists', update: 'Conflict', delete: 'Conflict' },
  ],
  conflict: [
    newResourceVersionConflictsError(key, 5),
    { get: same, list: same, create: same, update: 'Conflict', delete: 'Conflict' },
  ],
  'invalid object': [
    newInvalidObjectError(key, 'no'),
    { get: same, list: same, create: same, update: 'Conflict', delete: 'Conflict' },
  ],
  unreachable: [
    newUnreachableError(key, 0),
    {
      get: 'ServerTimeout',
      list: 'ServerTimeout',
      create: 'ServerTimeout',
      update: 'ServerTimeout',
      delete: 'ServerTimeout',
    },
  ],
  timeout: [
    newStorageTimeoutError(key, 'slow'),
    { get: same, list: 'ServerTimeout', create: same, update: same, delete: same },
  ],
  corrupt: [
    newCorruptObjectError(key, new Error('bad')),
    {
      get: 'InternalError',
      list: 'InternalError',
      create: 'InternalError',
      update: 'InternalError',
      delete: 'InternalError',
    },
  ],
  internal: [
    new InternalStorageError(new Error('bad')),
    {
      get: 'InternalError',
      list: 'InternalError',
      create: 'InternalError',
      update: 'InternalError',
      delete: 'InternalError',
    },
  ],
  other: [new Error('other'), { get: same, list: same, create: same, update: same, delete: same }],
} as const

describe('interpretation of storage errors', () => {
  for (const [name, [error, expected]] of Object.entries(errors)) {
    for (const operation of ['get', 'list', 'create', 'update', 'delete'] as const) {
      it(`makes ${expected[operation]} of ${name} on ${operation}`, () => {
        const result = interpret[operation](error)
        expect(result === error ? same : (result as StatusError).reason).toBe(expected[operation])
      })
    }
  }

  it('names no object in a list', () => {
    expect((interpret.list(errors['not found'][0]) as StatusError).message).toBe('pods "" not found')
  })

  it('asks for two seconds where another try helps', () => {
    const error = interpret.update(errors.unreachable[0]) as StatusError
    expect(error.status.details).toEqual({ name: 'update', kind: 'pods', retryAfterSeconds: 2 })
  })

  it("shows the storage's own text in a conflict", () => {
    expect((interpret.update(errors.conflict[0]) as StatusError).message).toBe(
      'Operation cannot be fulfilled on pods "a": StorageError: resource version conflicts, Code: 3, Key: /registry/pods/ns/a, ResourceVersion: 5, AdditionalErrorMsg: <nil>',
    )
    expect(errors['invalid object'][0].message).toBe(
      'StorageError: invalid object, Code: 4, Key: /registry/pods/ns/a, ResourceVersion: 0, AdditionalErrorMsg: no',
    )
  })
})

describe('errorToStatus', () => {
  it('answers a Status as it is', () => {
    const error = newNotFound(pods, 'a')
    expect(errorToStatus(error)).toEqual(error.status)
  })

  it('completes a Status that lacks the ordinary', () => {
    expect(JSON.stringify(errorToStatus(new StatusError({ code: 418, message: 'tea', metadata: {} })))).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"tea","code":418}',
    )
    expect(errorToStatus(new StatusError({ metadata: {} })).code).toBe(500)
    expect(errorToStatus(new StatusError({ metadata: {}, status: 'Success' })).code).toBe(200)
  })

  it('answers any other error without a reason', () => {
    const expected = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'broken', code: 500 }
    expect(errorToStatus(new Error('broken'))).toEqual(expected)
    expect(errorToStatus('broken')).toEqual(expected)
    expect(errorToStatus(errors.conflict[0]).code).toBe(409)
  })
})

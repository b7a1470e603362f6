import { newNotFound, newTooLargeResourceVersionError } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { newPageNotFound } from './errors.ts'
import { WarningRecorder } from './headers.ts'
import { parseGoDuration, requestTimeout } from './request-timeout.ts'
import { parseQuery } from './query.ts'
import { respondError, respondTimeout } from './status.ts'
import { bodyText, contextOf } from './test-support.ts'

describe('respondError', () => {
  const notFound = newNotFound({ group: 'apps', resource: 'deployments' }, 'x')

  it('answers with the Status', () => {
    const response = respondError(contextOf(), notFound)
    expect(response.status).toBe(404)
    expect(response.headers['content-type']).toBe('application/json')
    expect(bodyText(response)).toBe(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}\n',
    )
  })

  it('asks to wait where the Status does', () => {
    expect(respondError(contextOf(), newTooLargeResourceVersionError(9, 5, 1)).headers['retry-after']).toBe('1')
    expect(respondError(contextOf(), newTooLargeResourceVersionError(9, 5, 0)).headers['retry-after']).toBeUndefined()
  })

  it('tells the message of other errors and nothing more', () => {
    const response = respondError(contextOf(), new Error('boom'))
    expect(JSON.parse(bodyText(response))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'boom',
      code: 500,
    })
  })

  it('does not let negotiation hide a failure', () => {
    const response = respondError(contextOf({ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }), notFound)
    expect(response.status).toBe(404)
    expect(bodyText(response)).toMatch(/^\{\n {2}"kind": "Status"/)
    expect(respondError(contextOf({ accept: 'application/yaml' }), notFound).headers['content-type']).toBe(
      'application/yaml',
    )
  })

  it('answers plain text where no handler was found, and at the deadline', () => {
    const missing = respondError(contextOf(), newPageNotFound())
    expect([missing.status, bodyText(missing), missing.headers['x-content-type-options']]).toEqual([
      404,
      '404 page not found\n',
      'nosniff',
    ])
    const late = respondTimeout(contextOf())
    expect([late.status, late.headers['content-type']]).toEqual([504, 'text/plain; charset=utf-8'])
    expect(bodyText(late)).toBe(
      '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
    )
  })
})

describe('WarningRecorder', () => {
  it('tells each text once, quoted', () => {
    const warnings = new WarningRecorder()
    for (const text of ['unknown field "a"', 'unknown field "a"', 'back\\slash', 'two\nlines', '']) warnings.add(text)
    expect(warnings.headers()).toEqual(['299 - "unknown field \\"a\\""', '299 - "back\\\\slash"'])
    const context = contextOf()
    context.warnings.add('careful')
    expect(respondError(context, newPageNotFound()).headers['warning']).toEqual(['299 - "careful"'])
  })

  it('cuts texts that are too long together', () => {
    const warnings = new WarningRecorder()
    for (let i = 0; i < 40; i++) warnings.add(`${i} ${'é'.repeat(300)}`)
    const headers = warnings.headers()
    expect(headers.length).toBe(16)
    expect(Array.from(headers[0]!).length).toBe(256 + '299 - ""'.length)
  })
})

describe('requestTimeout', () => {
  it('reads Go durations', () => {
    expect(parseGoDuration('1h2m3.5s')).toBe(3_723_500)
    expect(parseGoDuration('-1.5ms')).toBe(-1.5)
    expect(parseGoDuration('+.5s')).toBe(500)
    expect(parseGoDuration('0')).toBe(0)
    for (const [text, message] of [
      ['', 'time: invalid duration ""'],
      ['abc', 'time: invalid duration "abc"'],
      ['5', 'time: missing unit in duration "5"'],
      ['5x', 'time: unknown unit "x" in duration "5x"'],
      ['.s', 'time: invalid duration ".s"'],
      ['9999999h', 'time: invalid duration "9999999h"'],
    ] as const) {
      expect(() => parseGoDuration(text)).toThrow(new Error(message))
    }
  })

  it('lowers the deadline but never raises it', () => {
    expect(requestTimeout(parseQuery('timeout=5s'))).toBe(5000)
    for (const query of ['', 'timeout=', 'timeout=2m', 'timeout=0', 'timeout=-1s'])
      expect(requestTimeout(parseQuery(query))).toBe(60_000)
    expect(() => requestTimeout(parseQuery('timeout=abc'))).toThrow(
      'invalid timeout specified in the request URL - time: invalid duration "abc"',
    )
  })
})

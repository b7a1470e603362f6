import { StatusError } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { parseMediaType, routeAccepts } from './media-type.ts'
import {
  allowsTransform,
  assertStreams,
  isPrettyPrint,
  negotiateInput,
  negotiateOutput,
  noTransform,
} from './negotiation.ts'
import { parseQuery } from './query.ts'

const none = parseQuery('')
const output = (accept: string | undefined) => negotiateOutput({ accept }, none)
const failure = (run: () => unknown): StatusError => {
  try {
    run()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('negotiateOutput', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['*', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/yaml;q=0.5, application/json', 'application/json'],
    ['text/plain, */*;q=0.1', 'application/json'],
    ['application/vnd.kubernetes.protobuf, application/json', 'application/json'],
    ['application/json;stream=watch', 'application/json'],
    ['application/json;stream=nope, application/yaml', 'application/yaml'],
    ['application/json;foo=bar', 'application/json'],
  ])('answers %s with %s', (accept, mediaType) => {
    expect(output(accept).mediaType).toBe(mediaType)
  })

  it('finds the transformation that is asked for, or what comes after it', () => {
    const table = { kind: 'Table', group: 'meta.k8s.io', version: 'v1' }
    expect(output('application/json;as=Table;v=v1;g=meta.k8s.io').convert).toEqual(table)
    expect(output('application/json;as=Table;v=v9;g=meta.k8s.io,application/json').convert).toBeUndefined()
    expect(allowsTransform('application/vnd.kubernetes.protobuf', table)).toBe(false)
    expect(
      negotiateOutput({ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }, none, {
        allows: noTransform,
      }).convert,
    ).toBeUndefined()
  })

  it('tells what there is when nothing is acceptable', () => {
    const { status } = failure(() => output('application/json;as=Table;v=v9;g=meta.k8s.io'))
    expect(status).toMatchObject({
      code: 406,
      reason: 'NotAcceptable',
      message:
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    })
    expect(status.details).toBeUndefined()
    expect(failure(() => assertStreams(output('application/yaml'))).status.message).toBe(
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    )
  })

  it('indents for people, unless they say no', () => {
    expect(isPrettyPrint(none, 'curl/8.5.0')).toBe(true)
    expect(isPrettyPrint(none, 'Mozilla/5.0 (X11)')).toBe(true)
    expect(isPrettyPrint(none, 'kubectl/v1.32')).toBe(false)
    expect(isPrettyPrint(parseQuery('pretty=false'), 'curl/8.5.0')).toBe(false)
    expect(isPrettyPrint(parseQuery('pretty=1'), undefined)).toBe(true)
    expect(isPrettyPrint(parseQuery('pretty=nope'), 'Wget/1')).toBe(false)
    expect(output('application/json;pretty=1').pretty).toBe(true)
  })
})

describe('negotiateInput', () => {
  it('reads what there is a codec for', () => {
    expect(negotiateInput(undefined)).toBe('application/json')
    expect(negotiateInput('Application/JSON; charset=utf-8')).toBe('application/json')
    expect(negotiateInput('application/yaml')).toBe('application/yaml')
    for (const bad of ['text/plain', 'application/vnd.kubernetes.protobuf', 'garbage;;;', 'application/json; x']) {
      expect(failure(() => negotiateInput(bad)).code).toBe(415)
    }
  })

  it('parses media types as Go does', () => {
    expect(parseMediaType('application/json;')).toBe('application/json')
    expect(parseMediaType('a/b/c')).toBeUndefined()
    expect(parseMediaType('a/b; q=1; q=2')).toBeUndefined()
  })
})

describe('routeAccepts', () => {
  it('knows exact types and the full wildcard only', () => {
    expect(routeAccepts('', ['application/json'])).toBe(true)
    expect(routeAccepts('application/*', ['application/json'])).toBe(false)
    expect(routeAccepts('text/csv, */*;q=0', ['application/json'])).toBe(true)
    expect(routeAccepts(' application/json ;q=0.1', ['application/json'])).toBe(true)
  })
})

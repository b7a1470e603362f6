import { describe, expect, it } from 'vitest'
import type { StatusError } from '../errors/status.ts'
import {
  decodeListOptions,
  defaultFieldLabelConversion,
  isListWatchRequest,
  listOptionsFromQuery,
  type ListOptionsContext,
  type RequestListOptions,
} from './list-options.ts'

function read(query: string, context: Partial<ListOptionsContext> = {}): RequestListOptions {
  const defaults = { watchList: true, convertFieldLabel: defaultFieldLabelConversion, name: '' }
  return listOptionsFromQuery(new URLSearchParams(query), { ...defaults, ...context })
}

function refusal(query: string, context?: Partial<ListOptionsContext>): string {
  try {
    read(query, context)
  } catch (error) {
    const { code, message } = (error as StatusError).status
    return `${code} ${message}`
  }
  return expect.unreachable()
}

const invalid = (text: string): string => `422 ListOptions.meta.k8s.io "" is invalid: ${text}`

describe('decoding', () => {
  it.each([
    ['', false],
    ['watch=true', true],
    ['watch=1', true],
    ['watch', true],
    ['watch=banana', true],
    ['watch=0', false],
    ['watch=False', false],
    ['watch=0&watch=1', false],
  ])('takes the watch of %j for %s', (query, expected) => {
    expect(decodeListOptions(new URLSearchParams(query)).watch).toBe(expected)
  })

  it('tells not saying from saying no', () => {
    const sent = (query: string): unknown => decodeListOptions(new URLSearchParams(query)).sendInitialEvents
    expect([sent(''), sent('sendInitialEvents=false'), sent('sendInitialEvents')]).toEqual([undefined, false, true])
  })

  it.each([
    ['limit=abc', '400 strconv.ParseInt: parsing "abc": invalid syntax'],
    ['limit=', '400 strconv.ParseInt: parsing "": invalid syntax'],
    ['timeoutSeconds=99999999999999999999', '400 strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['labelSelector=!&limit=x&timeoutSeconds=y', '400 strconv.ParseInt: parsing "y": invalid syntax'],
    ['labelSelector=!&fieldSelector=x', "400 unable to parse requirement: found '', expected: identifier"],
    ['fieldSelector=x', "400 invalid selector: 'x'; can't understand 'x'"],
  ])('refuses %j', (query, message) => {
    expect(refusal(query)).toBe(message)
  })

  it('passes on what it need not understand', () => {
    expect(read('resourceVersion=007&continue=x&limit=-5&timeoutSeconds=30')).toMatchObject({
      resourceVersion: '007',
      continue: 'x',
      limit: -5,
      timeoutSeconds: 30,
    })
  })
})

describe('defaults', () => {
  it.each([
    ['watch=1', true, 'NotOlderThan'],
    ['watch=1&resourceVersion=0', true, 'NotOlderThan'],
    ['watch=1&resourceVersion=00', undefined, ''],
    ['watch=1&resourceVersion=5', undefined, ''],
    ['watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', false, 'NotOlderThan'],
    ['', undefined, ''],
  ])('make of %j: sendInitialEvents %s, match %j', (query, sendInitialEvents, resourceVersionMatch) => {
    expect(read(query)).toMatchObject({ sendInitialEvents, resourceVersionMatch })
  })

  it('are left out without the feature', () => {
    expect(read('watch=1', { watchList: false }).sendInitialEvents).toBeUndefined()
  })
})

describe('validation', () => {
  const match = 'resourceVersionMatch: Forbidden:'
  it.each([
    ['resourceVersionMatch=Exact', `${match} resourceVersionMatch is forbidden unless resourceVersion is provided`],
    [
      'resourceVersionMatch=Exact&resourceVersion=5&continue=x',
      `${match} resourceVersionMatch is forbidden when continue is provided`,
    ],
    [
      'resourceVersionMatch=Nope&resourceVersion=5',
      'resourceVersionMatch: Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      `${match} resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    ['sendInitialEvents=false', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    ['watch=1&sendInitialEvents=1', `${match} sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`],
    [
      'watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=5',
      `${match} resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [
      'watch=1&sendInitialEvents=1&resourceVersionMatch=Exact&continue=x',
      `[${match} sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan", ${match} resourceVersionMatch is forbidden when continue is provided]`,
    ],
    [
      'resourceVersionMatch=Nope&continue=x&sendInitialEvents=1',
      `[${match} resourceVersionMatch is forbidden unless resourceVersion is provided, ${match} resourceVersionMatch is forbidden when continue is provided, resourceVersionMatch: Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", "", sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]`,
    ],
  ])('refuses %j', (query, message) => {
    expect(refusal(query)).toBe(invalid(message))
  })

  it('knows the feature', () => {
    expect(refusal('watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan', { watchList: false })).toBe(
      invalid(
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      ),
    )
  })
})

describe('field labels and names', () => {
  it('converts labels, or says in the words of the kind that it cannot', () => {
    expect(refusal('fieldSelector=spec.foo=x')).toBe(
      '400 "spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    const convertFieldLabel = (label: string, value: string): [string, string] => [`new.${label}`, value]
    expect(String(read('fieldSelector=a=x', { convertFieldLabel }).fieldSelector)).toBe('new.a=x')
  })

  it('selects the name of the path', () => {
    expect(String(read('', { name: 'a' }).fieldSelector)).toBe('metadata.name=a')
    expect(String(read('fieldSelector=metadata.name=a', { name: 'a' }).fieldSelector)).toBe('metadata.name=a')
    for (const selector of ['metadata.name=b', 'metadata.namespace=x']) {
      expect(refusal(`fieldSelector=${selector}`, { name: 'a' })).toBe(
        "400 fieldSelector metadata.name doesn't match requested name",
      )
    }
  })
})

describe('isListWatchRequest', () => {
  it('needs initial events and bookmarks', () => {
    expect(isListWatchRequest({ sendInitialEvents: true, allowWatchBookmarks: true })).toBe(true)
    expect(isListWatchRequest({ sendInitialEvents: true, allowWatchBookmarks: false })).toBe(false)
    expect(isListWatchRequest({ allowWatchBookmarks: true })).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { isDNS1123Label, isDNS1123Subdomain, isLabelKey, isLabelValue } from './names.ts'

const nameError =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

describe('names', () => {
  it.each([
    [isLabelKey, 'app', []],
    [isLabelKey, 'example.com/App_1.x', []],
    [isLabelKey, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
    [isLabelKey, 'x/', ['name part must be non-empty', `name part ${nameError}`]],
    [isLabelKey, '/x', ['prefix part must be non-empty']],
    [
      isLabelKey,
      'X/a',
      [
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      isLabelKey,
      'a/b/c',
      [`a valid label key ${nameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    [isLabelValue, '', []],
    [isLabelValue, 'A.b_c-1', []],
    [
      isLabelValue,
      '-',
      [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    ],
    [isDNS1123Label, 'a-1', []],
    [isDNS1123Label, 'a.b', ['must not contain dots']],
    [
      isDNS1123Label,
      'A',
      [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [isDNS1123Subdomain, 'a.b-c', []],
    [isDNS1123Subdomain, 'a.'.repeat(127), expect.arrayContaining(['must be no more than 253 bytes'])],
  ])('%o says of %j: %j', (check, value, errors) => {
    expect(check(value)).toEqual(errors)
  })

  it('count bytes, not characters', () => {
    expect(isLabelValue('é'.repeat(32))[0]).toBe('must be no more than 63 bytes')
  })
})

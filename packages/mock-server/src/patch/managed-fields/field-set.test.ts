import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldSet } from './field-set.ts'
import { parseFieldsV1, serializeFieldsV1 } from './fields-v1.ts'
import { fieldElement, keyElement, pathText, valueElement, type PathElement } from './path-element.ts'

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map(fieldElement),
  fc.constantFrom('x', 'y').map((name) => keyElement(new Map([['name', name]]))),
  fc.constantFrom<unknown>(1, 'x', true).map(valueElement),
)
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const set = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(...paths))

/** The members of a set as text, which is a set that JavaScript knows. */
function members(fields: FieldSet): Set<string> {
  return new Set([...fields.paths()].map((one) => one.join('\n')))
}

function isBelow(text: string, parents: ReadonlySet<string>): boolean {
  return [...parents].some((parent) => text === parent || text.startsWith(`${parent}\n`))
}

describe('FieldSet', () => {
  it('has the algebra of its members', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const left = members(a)
        const right = members(b)
        expect(members(a.union(b))).toEqual(new Set([...left, ...right]))
        expect(members(a.intersection(b))).toEqual(new Set([...left].filter((text) => right.has(text))))
        expect(members(a.difference(b))).toEqual(new Set([...left].filter((text) => !right.has(text))))
        const rest = [...left].filter((text) => !isBelow(text, right))
        expect(members(a.recursiveDifference(b))).toEqual(new Set(rest))
      }),
      { numRuns: 200 },
    )
  })

  it('follows the laws of sets', () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        const equal = (one: FieldSet, other: FieldSet): void => expect(one.equals(other)).toBe(true)
        equal(a.union(b), b.union(a))
        equal(a.intersection(b), b.intersection(a))
        equal(a.union(b).union(c), a.union(b.union(c)))
        equal(a.intersection(b.union(c)), a.intersection(b).union(a.intersection(c)))
        equal(a.difference(b).union(a.intersection(b)), a)
        equal(a.difference(b).intersection(b), FieldSet.empty)
        equal(a.difference(a), FieldSet.empty)
      }),
      { numRuns: 100 },
    )
  })

  it('leaves what it is given as it was', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const before = [JSON.stringify(serializeFieldsV1(a)), JSON.stringify(serializeFieldsV1(b))]
        a.union(b)
        a.intersection(b)
        a.difference(b)
        a.recursiveDifference(b)
        a.leaves()
        expect([members(a), members(b)].map((one) => one.size)).toEqual([a.size, b.size])
        const fresh = [a, b].map((one) => JSON.stringify(serializeFieldsV1(new FieldSet(false, one.children))))
        expect(fresh).toEqual(before)
      }),
      { numRuns: 50 },
    )
  })

  it('reuses equal parts of another set', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.reusing(b).equals(a)).toBe(true)
        const copy = parseFieldsV1(structuredClone(serializeFieldsV1(a)))
        expect(copy.reusing(a)).toBe(a.isEmpty ? copy : a)
      }),
      { numRuns: 100 },
    )
  })

  it('shares the parts that are equal', () => {
    const [x, y, z] = ['x', 'y', 'z'].map(fieldElement) as [string, string, string]
    const before = FieldSet.of([x, y], [x, z], [z])
    const after = FieldSet.of([x, z], [x, y], [y]).reusing(before)
    expect(after.children?.get(x)).toBe(before.children?.get(x))
    expect([...after.paths()].map(pathText)).toEqual(['.y', '.x.y', '.x.z'])
  })

  it('knows its members', () => {
    fc.assert(
      fc.property(fc.array(path), path, (paths, other) => {
        const fields = FieldSet.of(...paths)
        for (const one of paths) expect(fields.has(one)).toBe(true)
        expect(fields.has(other)).toBe(paths.some((one) => one.join('\n') === other.join('\n')))
        expect(fields.isEmpty).toBe(fields.size === 0)
      }),
      { numRuns: 100 },
    )
  })

  it('has only members without members below them as leaves', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const all = members(fields)
        const inner = (text: string): boolean => [...all].some((other) => other.startsWith(`${text}\n`))
        expect(members(fields.leaves())).toEqual(new Set([...all].filter((text) => !inner(text))))
      }),
      { numRuns: 100 },
    )
  })

  it('survives being written as fieldsV1 and read again', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const text = JSON.stringify(serializeFieldsV1(fields))
        expect(parseFieldsV1(JSON.parse(text)).equals(fields)).toBe(true)
        expect(JSON.stringify(serializeFieldsV1(parseFieldsV1(JSON.parse(text))))).toBe(text)
      }),
      { numRuns: 200 },
    )
  })
})

describe('fieldsV1', () => {
  it('writes members with children with a dot, in the order of fields, keys, values', () => {
    const name = (value: string): PathElement => keyElement(new Map([['name', value]]))
    const fields = FieldSet.of(
      [fieldElement('l'), valueElement('b')],
      [fieldElement('l'), valueElement('a')],
      [fieldElement('l'), valueElement(10)],
      [fieldElement('l'), valueElement(9)],
      [fieldElement('k'), name('z'), fieldElement('image')],
      [fieldElement('k'), name('z')],
      [fieldElement('k'), name('a')],
      [fieldElement('é')],
    )
    expect(JSON.stringify(serializeFieldsV1(fields))).toBe(
      '{"f:k":{"k:{\\"name\\":\\"a\\"}":{},"k:{\\"name\\":\\"z\\"}":{".":{},"f:image":{}}},' +
        '"f:l":{"v:9":{},"v:10":{},"v:\\"a\\"":{},"v:\\"b\\"":{}},"f:é":{}}',
    )
  })

  it('gives equal sets the same fieldsV1, however each was made, and others another', () => {
    const make = (...names: string[]): FieldSet =>
      FieldSet.of(...names.map((name) => name.split('/').map((part) => fieldElement(part))))
    const shared = serializeFieldsV1(make('a/b', 'c'))
    expect(serializeFieldsV1(make('a/b', 'c'))).toBe(shared)
    expect(serializeFieldsV1(make('a/b', 'a', 'c'))).not.toEqual(shared)
    expect(serializeFieldsV1(make('a/b/c'))).not.toEqual(shared)
    expect(serializeFieldsV1(make('a/b)(3f:c'))).not.toEqual(shared)
    expect(parseFieldsV1(shared).equals(make('c', 'a/b'))).toBe(true)
  })

  it('takes elements that others wrote in another way for the same', () => {
    const fields = parseFieldsV1({ 'f:ports': { 'k:{"protocol":"TCP", "containerPort":80}': {} } })
    const key = keyElement(
      new Map<string, unknown>([
        ['containerPort', 80],
        ['protocol', 'TCP'],
      ]),
    )
    expect(fields.has([fieldElement('ports'), key])).toBe(true)
  })

  it('leaves out elements of unknown types, and takes what is left for a member', () => {
    const fields = parseFieldsV1({ 'f:a': { 'z:later': {} }, 'z:b': {} })
    expect([...fields.paths()].map(pathText)).toEqual(['.a'])
  })

  it.each<[unknown, string]>([
    [{ a: {} }, 'key must be 2 characters long:'],
    [{ abc: {} }, 'missing colon: abc'],
    [{ 'i:x': {} }, 'strconv.Atoi: parsing "x": invalid syntax'],
    [{ 'f:a': 1 }, 'expected an object below f:a, got 1'],
    [[], 'expected an object of path elements, got []'],
  ])('refuses %j', (fields, message) => {
    expect(() => parseFieldsV1(fields)).toThrow(message)
  })
})

describe('paths', () => {
  it('read as people write them', () => {
    const port = keyElement(
      new Map<string, unknown>([
        ['protocol', 'TCP'],
        ['containerPort', 80],
      ]),
    )
    expect(pathText([fieldElement('ports'), port, fieldElement('name')])).toBe(
      '.ports[containerPort=80,protocol="TCP"].name',
    )
    expect(pathText([fieldElement('finalizers'), valueElement('a.b/c')])).toBe('.finalizers[="a.b/c"]')
  })
})

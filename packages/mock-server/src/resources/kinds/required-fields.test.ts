import { describe, expect, it } from 'vitest'
import { withRequiredFields } from './required-fields.ts'

describe('withRequiredFields', () => {
  it('names what an object of a kind lacks', () => {
    const { validate } = withRequiredFields('storage.k8s.io/volumeattributesclasses', {})
    const fieldsOf = (object: object): string[] =>
      validate!({ metadata: {}, ...object }, {} as never).map(({ field }) => field)
    expect(fieldsOf({})).toEqual(['driverName', 'parameters'])
    expect(fieldsOf({ driverName: 'd.example.com', parameters: { a: 'b' } })).toEqual([])
  })

  it('leaves the strategies of other kinds alone', () => {
    const strategy = {}
    expect(withRequiredFields('/configmaps', strategy)).toBe(strategy)
    expect(withRequiredFields('constructor', strategy)).toBe(strategy)
  })
})

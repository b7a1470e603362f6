import { describe, expect, it } from 'vitest'
import { compareKubeVersions } from './kube-version.ts'
import { withEstablished, withNames } from './naming.ts'
import { storageVersionHash } from './storage-version-hash.ts'
import type { CustomResourceDefinition } from './types.ts'

const now = '2024-01-01T00:00:00Z'

function definition(plural: string, kind: string, more: object = {}): CustomResourceDefinition {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...more }
  return {
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', names },
  } as CustomResourceDefinition
}

const conditionsOf = (crd: CustomResourceDefinition): string[] =>
  (crd.status?.conditions ?? []).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`)

describe('withNames', () => {
  it('accepts names that nobody has, and the definition is established then', () => {
    const named = withNames(definition('as', 'A', { shortNames: ['x'] }), [], now)
    expect(named.status!.acceptedNames).toEqual(named.spec!.names)
    expect(conditionsOf(withEstablished(named, now))).toEqual([
      'NamesAccepted True NoConflicts: no conflicts found',
      'Established True InitialNamesAccepted: the initial names have been accepted',
    ])
  })

  it('keeps what it can of names that another definition of the group has', () => {
    const first = withNames(definition('as', 'A', { shortNames: ['x', 'y'] }), [], now)
    const second = withNames(definition('bs', 'A', { singular: 'b', shortNames: ['x', 'y'] }), [first], now)
    expect(second.status!.acceptedNames).toEqual({ plural: 'bs', singular: 'b' })
    expect(conditionsOf(second)).toEqual([
      'NamesAccepted False ListKindConflict: "AList" is already in use',
      'Established False NotAccepted: not all names are accepted',
    ])
    expect(withEstablished(second, now)).toBe(second)
  })

  it('does not mind definitions of other groups', () => {
    const first = withNames(definition('as', 'A'), [], now)
    const other = { ...first, spec: { ...first.spec, group: 'other.example.com' } }
    expect(withNames(definition('as', 'A'), [other], now).status!.acceptedNames!.kind).toBe('A')
  })

  it('leaves a definition alone whose names are accepted already', () => {
    const named = withNames(definition('as', 'A'), [], now)
    expect(withNames(named, [named], now)).toBe(named)
  })
})

it('orders versions as discovery does', () => {
  const versions = ['v1beta1', 'foo', 'v1', 'v2alpha1', 'v11', 'v2', 'v1beta2', 'bar', 'v10beta3']
  expect(versions.sort(compareKubeVersions)).toEqual([
    'v11',
    'v2',
    'v1',
    'v10beta3',
    'v1beta2',
    'v1beta1',
    'v2alpha1',
    'bar',
    'foo',
  ])
})

it('hashes the stored version as discovery does', () => {
  expect(storageVersionHash('gold1.example.com', 'v1', 'Gizmo')).toBe('Hg+0Z0RVJxE=')
  expect(storageVersionHash('', 'v1', 'Pod')).toBe(storageVersionHash('', 'v1', 'Pod'))
})

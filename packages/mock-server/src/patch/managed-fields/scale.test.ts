import { describe, expect, it } from 'vitest'
import type { ManagedFieldsEntry } from '@freshread/core'
import { fromScaleManagers, toScaleManagers } from './scale.ts'

const paths = { 'apps/v1': ['spec', 'replicas'], 'apps/v1beta1': ['spec', 'theReplicas'], 'apps/v0': null }

function entry(
  manager: string,
  apiVersion: string,
  fieldsV1: object,
  more: ManagedFieldsEntry = {},
): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Apply',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 as Record<string, unknown>,
    ...more,
  }
}

const replicas = { 'f:spec': { 'f:replicas': {} } }
const other = { 'f:spec': { 'f:other': {} } }
const both = { 'f:spec': { 'f:other': {}, 'f:replicas': {} } }

describe('toScaleManagers', () => {
  it('shows who owns the replicas, wherever their version has them', () => {
    const parent = [
      entry('a', 'apps/v1', both, { time: '2026-01-01T00:00:00Z' }),
      entry('b', 'apps/v1beta1', { 'f:spec': { 'f:theReplicas': {} } }),
      entry('c', 'apps/v1', other),
      entry('d', 'apps/v0', replicas),
      entry('e', 'apps/v9', replicas),
    ]
    expect(toScaleManagers(parent, paths)).toEqual([
      entry('b', 'autoscaling/v1', replicas),
      entry('a', 'autoscaling/v1', replicas, { time: '2026-01-01T00:00:00Z' }),
    ])
  })

  it('has none when nobody owns them', () => {
    expect(toScaleManagers([entry('c', 'apps/v1', other)], paths)).toBeUndefined()
  })
})

describe('fromScaleManagers', () => {
  it('leaves the parent as it was when its appliers still own the replicas', () => {
    const parent = [entry('a', 'apps/v1', both), entry('b', 'apps/v1', other)]
    expect(fromScaleManagers(parent, toScaleManagers(parent, paths), 'apps/v1', paths)).toEqual(parent)
  })

  it('takes the replicas from those who lost them and gives them to the new owner, without a time', () => {
    const parent = [entry('a', 'apps/v1', both), entry('b', 'apps/v1', replicas)]
    const scaler = entry('s', 'autoscaling/v1', replicas, {
      subresource: 'scale',
      operation: 'Update',
      time: '2026-01-01T00:00:00Z',
    })
    expect(fromScaleManagers(parent, [scaler], 'apps/v1', paths)).toEqual([
      entry('a', 'apps/v1', other),
      entry('s', 'apps/v1', replicas, { subresource: 'scale', operation: 'Update' }),
    ])
  })

  it('drops entries of versions that do not exist', () => {
    const parent = [entry('a', 'apps/v9', both), entry('b', 'apps/v0', other)]
    expect(fromScaleManagers(parent, undefined, 'apps/v1', paths)).toEqual([entry('b', 'apps/v0', other)])
  })
})

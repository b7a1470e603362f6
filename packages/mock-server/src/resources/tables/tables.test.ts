import { readFileSync } from 'node:fs'
import type { KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { humanDuration, printerFor } from './index.ts'

/** Objects of a real server with the cells that it showed for them at that time. */
interface RecordedRow {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly now: number
  readonly object: KubeObject
  readonly cells: readonly unknown[]
  readonly conditions?: readonly unknown[]
}

const recorded = JSON.parse(
  readFileSync(new URL('recorded-rows.json', import.meta.url), 'utf8'),
) as readonly RecordedRow[]

/** Ages differ by the milliseconds that the recording took. */
const withoutAges = (cells: readonly unknown[]): readonly unknown[] =>
  cells.map((cell) =>
    typeof cell === 'string' ? cell.replace(/\b(\d+[smhdy]){1,2}$|\((\d+[smhdy])+ ago\)/g, '$age') : cell,
  )

describe('printerFor', () => {
  it.each(recorded.map((row) => [`${row.resource}.${row.group} ${row.object.metadata.name}`, row] as const))(
    'shows %s as the real server does',
    (_name, row) => {
      const printer = printerFor(row.group, row.version, row.resource)
      const cells = printer.forList?.([row.object]) ?? printer.cells
      expect(withoutAges(cells(row.object, row.now))).toEqual(withoutAges(row.cells))
      expect(printer.conditions?.(row.object)).toEqual(row.conditions)
    },
  )

  it('shows name and age of what has no columns of its own', () => {
    const printer = printerFor('example.com', 'v1', 'widgets')
    const object = { metadata: { name: 'w', creationTimestamp: '2026-01-01T00:00:00Z' } }
    expect(printer.columns.map(({ name }) => name)).toEqual(['Name', 'Age'])
    expect(printer.cells(object, Date.parse('2026-01-01T00:03:20Z'))).toEqual(['w', '3m20s'])
    expect(printer.cells({ metadata: {} }, 0)).toEqual(['', '<unknown>'])
  })

  it('takes the newest of several default storage classes for the default', () => {
    const made = (name: string, creationTimestamp: string, isDefault: boolean): KubeObject => ({
      metadata: {
        name,
        creationTimestamp,
        annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) },
      },
    })
    const objects = [
      made('a', '2026-01-01T00:00:00Z', true),
      made('b', '2026-01-02T00:00:00Z', true),
      made('c', '2026-01-03T00:00:00Z', false),
    ]
    const cells = printerFor('storage.k8s.io', 'v1', 'storageclasses').forList!(objects)
    expect(objects.map((object) => cells(object, 0)[0])).toEqual(['a', 'b (default)', 'c'])
  })
})

describe('humanDuration', () => {
  it.each([
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [599, '9m59s'],
    [600, '10m'],
    [10_799, '179m'],
    [10_800, '3h'],
    [28_740, '7h59m'],
    [28_800, '8h'],
    [172_799, '47h'],
    [172_800, '2d'],
    [176_400, '2d1h'],
    [691_200, '8d'],
    [63_071_999, '729d'],
    [63_072_000, '2y'],
    [66_000_000, '2y33d'],
    [252_288_000, '8y'],
  ])('prints %d seconds as %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text)
  })
})

import { expect, test } from 'vitest'
import { Journal, type JournalEntry } from './journal.ts'

const entry = (fields: Partial<JournalEntry>): Omit<JournalEntry, 'id'> => ({
  time: 0,
  method: 'GET',
  url: '/',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
  resourceVersion: undefined,
  resourceVersionMatch: undefined,
  userAgent: undefined,
  status: 200,
  reason: undefined,
  givenResourceVersion: undefined,
  source: undefined,
  waitedMs: undefined,
  fallback: undefined,
  durationMs: 0,
  ...fields,
})

test('keeps the latest entries and forgets older ones', () => {
  const journal = new Journal(3)
  for (let i = 0; i < 20; i++) journal.add(entry({ name: String(i) }))
  expect(journal.entries().map(({ id, name }) => [id, name])).toEqual([
    [18, '17'],
    [19, '18'],
    [20, '19'],
  ])
})

test('tells reads from writes and from what is for no resource', () => {
  const journal = new Journal(10)
  for (const verb of ['get', 'list', 'watch', 'create', 'deletecollection']) journal.add(entry({ verb }))
  journal.add(entry({ verb: 'get', resource: '' }))
  expect(journal.reads().map(({ verb }) => verb)).toEqual(['get', 'list', 'watch'])
  expect(journal.writes().map(({ verb }) => verb)).toEqual(['create', 'deletecollection'])
})

test('filters by fields or by a function', () => {
  const journal = new Journal(10)
  journal.add(entry({ source: 'cache', waitedMs: 12 }))
  journal.add(entry({ source: 'storage' }))
  expect(journal.reads({ source: 'storage' })).toHaveLength(1)
  expect(journal.reads(({ waitedMs = 0 }) => waitedMs > 10)).toHaveLength(1)
})

test('counts on after it is cleared', () => {
  const journal = new Journal(10)
  journal.add(entry({}))
  journal.clear()
  expect(journal.entries()).toEqual([])
  expect(journal.add(entry({})).id).toBe(2)
})

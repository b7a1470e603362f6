import { expect, test } from 'vitest'
import { MemoryKV } from '../storage/memory/memory-kv.ts'
import { createResourceStorage, type ResourceStorageOptions } from './resource-storage.ts'

const good: ResourceStorageOptions = {
  kv: new MemoryKV(),
  groupResource: { group: '', resource: 'pods' },
  resourcePrefix: '/pods',
}

test.each<[string, unknown]>([
  ['kv', {}],
  ['kv', undefined],
  ['groupResource', 'pods'],
  ['resourcePrefix', undefined],
])('refuses a wrong %s and names it', (name, value) => {
  expect(() => createResourceStorage({ ...good, [name]: value })).toThrow(
    `createResourceStorage: option ${name} must be`,
  )
})

test('wants a prefix that begins with a slash', () => {
  expect(() => createResourceStorage({ ...good, resourcePrefix: 'pods' })).toThrow(/resourcePrefix must start with/)
})

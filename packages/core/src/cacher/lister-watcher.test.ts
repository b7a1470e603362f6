import { describe, expect, it } from 'vitest'
import { newResourceExpired } from '../errors/api-errors.ts'
import type { ListOptions, ListResult, Storage, WatchOptions } from '../storage/storage.ts'
import { ListerWatcher } from './lister-watcher.ts'
import { stored } from './test-support.ts'

const { signal } = new AbortController()

function listing(answers: (ListResult | Error)[]) {
  const asked: string[] = []
  const storage = {
    getList: async (key: string, { predicate, resourceVersion }: ListOptions) => {
      asked.push(`${key} rv=${resourceVersion} limit=${predicate.limit} continue=${predicate.continue}`)
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return { asked, lister: new ListerWatcher(storage as unknown as Storage, '/configmaps', 2) }
}

function page(resourceVersion: string, next: string, ...names: string[]): ListResult {
  return {
    resourceVersion,
    continue: next,
    remainingItemCount: undefined,
    items: names.map((name, i) => stored(name, i + 1)),
  }
}

describe('ListerWatcher', () => {
  it('reads page after page, of the latest state', async () => {
    const { asked, lister } = listing([page('9', 'more', 'a', 'b'), page('9', '', 'c')])
    const { items, resourceVersion } = await lister.list(signal)
    expect(items.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c'])
    expect(resourceVersion).toBe(9)
    expect(asked).toEqual(['/configmaps rv= limit=2 continue=', '/configmaps rv= limit=2 continue=more'])
  })

  it('reads all at once when a page comes too late', async () => {
    const { asked, lister } = listing([page('9', 'more', 'a', 'b'), newResourceExpired('gone'), page('12', '', 'b')])
    expect((await lister.list(signal)).resourceVersion).toBe(12)
    expect(asked[2]).toBe('/configmaps rv= limit=0 continue=')
  })

  it('passes other errors on', async () => {
    const { lister } = listing([new Error('no luck')])
    await expect(lister.list(signal)).rejects.toThrow('no luck')
  })

  it('watches everything, with progress', async () => {
    const asked: WatchOptions[] = []
    const storage = { watch: async (_key: string, options: WatchOptions) => void asked.push(options) }
    const lister = new ListerWatcher(storage as unknown as Storage, '/configmaps')
    await lister.watch({ resourceVersion: '', sendInitialEvents: true, signal })
    await lister.watch({ resourceVersion: '7', signal })
    expect(asked).toMatchObject([
      { resourceVersion: '', resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true, progressNotify: true },
      { resourceVersion: '7', resourceVersionMatch: '', progressNotify: true, recursive: true },
    ])
    expect(asked.every(({ predicate }) => predicate.empty && predicate.allowWatchBookmarks)).toBe(true)
  })
})

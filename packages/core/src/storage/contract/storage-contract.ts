import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { interpretDeleteError, interpretUpdateError } from '../../errors/interpret.ts'
import { isResourceExpired, isTooLargeResourceVersion } from '../../errors/guards.ts'
import type { StatusError } from '../../errors/status.ts'
import { decodeContinue } from '../../meta/continue-token.ts'
import { FieldSelector } from '../../meta/field-selector.ts'
import { LabelSelector } from '../../meta/label-selector.ts'
import { SelectionPredicate, type SelectionPredicateOptions } from '../../meta/selection-predicate.ts'
import type { KubeObject } from '../../meta/types.ts'
import type { KV } from '../kv.ts'
import type { ListOptions, ListResult, Storage, Watch, WatchEvent, WatchOptions } from '../storage.ts'
import type { StoredObject } from '../stored-object.ts'
import { StoredValue } from '../value.ts'

/** A storage to be tested. */
export interface StorageUnderTest {
  readonly storage: Storage
  /** What lies below it. */
  readonly kv: KV
  readonly close: () => Promise<void>
}

/** A real etcd is shared by all tests: each has keys of its own. */
let tests = 0

const groupResource = { group: '', resource: 'widgets' }

/**
 * What every storage over a KV must do, whatever the KV is made of.
 * @param cached there is a watch cache before the storage: what that answers differently is left out
 */
export function describeStorage(
  name: string,
  open: (resourcePrefix: string) => Promise<StorageUnderTest>,
  { cached = false }: { readonly cached?: boolean } = {},
): void {
  const itAtStorage = cached ? it.skip : it

  describe(`Storage: ${name}`, () => {
    let tested: StorageUnderTest
    let storage: Storage
    let prefix: string
    const watches: Watch[] = []

    beforeEach(async () => {
      prefix = `/widgets${++tests}`
      tested = await open(prefix)
      storage = tested.storage
    })
    afterEach(async () => {
      for (const watch of watches.splice(0)) watch.stop()
      await storage.close()
      await tested.close()
    })

    function widget(name: string, more: Partial<KubeObject> = {}, labels?: Record<string, string>): KubeObject {
      return { metadata: { name, namespace: 'ns', uid: `uid-${name}`, ...(labels && { labels }) }, ...more }
    }
    const keyOf = (name: string, namespace = 'ns'): string => `${prefix}/${namespace}/${name}`
    const create = (name: string, more?: Partial<KubeObject>, labels?: Record<string, string>): Promise<StoredObject> =>
      storage.create(keyOf(name), widget(name, more, labels))
    const set = (name: string, spec: unknown): Promise<StoredObject> =>
      storage.guaranteedUpdate(keyOf(name), { tryUpdate: (current) => ({ object: { ...current!.object, spec } }) })
    /** Another resource's write: it moves the revision on. */
    async function writeElsewhere(): Promise<number> {
      const { kv } = await tested.kv.get('/registry/elsewhere')
      const put = StoredValue.fromText('{"metadata":{}}')
      const request = { key: '/registry/elsewhere', expectedRevision: kv?.modRevision ?? 0, put }
      return (await tested.kv.txn(request)).revision
    }

    type ListParts = Partial<Omit<ListOptions, 'predicate'>> & SelectionPredicateOptions
    function listOptions(parts: ListParts = {}): ListOptions {
      const { resourceVersion = '', resourceVersionMatch = '', recursive = true, signal, ...predicate } = parts
      return { resourceVersion, resourceVersionMatch, recursive, signal, predicate: new SelectionPredicate(predicate) }
    }
    const list = (parts?: ListParts, key = prefix): Promise<ListResult> => storage.getList(key, listOptions(parts))
    const names = (items: readonly StoredObject[]): (string | undefined)[] =>
      items.map(({ object }) => object.metadata.name)
    async function startWatch(parts: ListParts & Partial<WatchOptions> = {}, key = prefix): Promise<Watch> {
      const { sendInitialEvents, progressNotify, ...rest } = parts
      const options = { ...listOptions(rest), sendInitialEvents, progressNotify: progressNotify ?? false }
      const watch = await storage.watch(key, options)
      watches.push(watch)
      return watch
    }
    /** The next `count` events, shortened to what matters. */
    async function take(watch: Watch, count: number): Promise<unknown[]> {
      const events: WatchEvent[] = []
      while (events.length < count) {
        const event = watch.poll()
        if (event !== undefined) events.push(event)
        else if (watch.ended) throw new Error(`the watch ended after ${events.length} events`)
        else await new Promise<void>((resolve) => (watch.onReadable = resolve))
      }
      return events.map((event) => {
        if (event.type === 'ERROR') return [event.type, event.status]
        if (event.type === 'BOOKMARK') return [event.type, event.resourceVersion, event.initialEventsEnd]
        return [event.type, event.object.object.metadata.name, event.object.resourceVersion]
      })
    }
    const failure = async (promise: Promise<unknown>): Promise<StatusError> => {
      return promise.then(
        () => expect.unreachable('it should have failed'),
        (error: unknown) => error as StatusError,
      )
    }

    describe('create and get', () => {
      it('answers the object with its resource version, and stores it without', async () => {
        const created = await create('a', { spec: { x: 1 } })
        expect(created.key).toBe(keyOf('a'))
        expect(created.object).toEqual({
          metadata: { name: 'a', namespace: 'ns', uid: 'uid-a', resourceVersion: String(created.resourceVersion) },
          spec: { x: 1 },
        })
        const { kv } = await tested.kv.get(`/registry${keyOf('a')}`)
        expect(kv!.value.object).toEqual(widget('a', { spec: { x: 1 } }))
        expect((await storage.get(keyOf('a'))).object).toEqual(created.object)
      })

      it('refuses a key that is taken', async () => {
        await create('a')
        const error = await failure(create('a'))
        expect(error).toMatchObject({ code: 'key exists', key: `/registry${keyOf('a')}` })
      })

      it('refuses an object that has a resource version', async () => {
        const object = widget('a')
        object.metadata.resourceVersion = '5'
        const error = await failure(storage.create(keyOf('a'), object))
        expect(error.message).toBe('resourceVersion should not be set on objects to be created')
      })

      it('says what key it did not find', async () => {
        const error = await failure(storage.get(keyOf('a')))
        expect(error.message).toBe(
          `StorageError: key not found, Code: 1, Key: /registry${keyOf('a')}, ResourceVersion: 0, AdditionalErrorMsg: <nil>`,
        )
        expect(await storage.get(keyOf('a'), { ignoreNotFound: true })).toBeUndefined()
      })

      itAtStorage('refuses a resource version that is not there yet, even where there is nothing', async () => {
        const { resourceVersion } = await create('a')
        await storage.get(keyOf('a'), { resourceVersion: String(resourceVersion) })
        for (const name of ['a', 'absent']) {
          const future = '18446744073709551615'
          const error = await failure(storage.get(keyOf(name), { resourceVersion: future }))
          expect(isTooLargeResourceVersion(error)).toBe(true)
          expect(error.message).toBe(`Timeout: Too large resource version: ${future}, current: ${resourceVersion}`)
          expect(error.retryAfterSeconds).toBe(0)
        }
      })

      itAtStorage('calls a malformed resource version a bad request', async () => {
        const error = await failure(storage.get(keyOf('a'), { resourceVersion: 'abc' }))
        expect(error.status).toMatchObject({
          code: 400,
          message:
            'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        })
      })

      it('refuses keys outside of its prefix', async () => {
        await expect(storage.get('/other/a')).rejects.toThrow(
          `invalid key: "/other/a" lacks resource prefix: "${prefix}"`,
        )
        await expect(storage.get(`${prefix}/../a`)).rejects.toThrow(`invalid key: "${prefix}/../a"`)
        await expect(storage.get('')).rejects.toThrow('empty key: ""')
      })
    })

    describe('delete', () => {
      it('answers the last state with the resource version of the deletion', async () => {
        const { resourceVersion } = await create('a', { spec: 1 })
        const deleted = await storage.delete(keyOf('a'))
        expect(deleted.resourceVersion).toBe(resourceVersion + 1)
        expect(deleted.object).toEqual({
          ...widget('a', { spec: 1 }),
          metadata: { ...widget('a').metadata, resourceVersion: String(resourceVersion + 1) },
        })
        expect((await failure(storage.delete(keyOf('a')))).code).toBe('key not found')
      })

      it('holds preconditions against the object', async () => {
        await create('a')
        const error = await failure(storage.delete(keyOf('a'), { preconditions: { uid: 'other' } }))
        expect((interpretDeleteError(error, groupResource, 'a') as StatusError).status).toEqual({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `Operation cannot be fulfilled on widgets "a": StorageError: invalid object, Code: 4, Key: /registry${keyOf('a')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: uid-a`,
          reason: 'Conflict',
          details: { name: 'a', kind: 'widgets' },
          code: 409,
        })
        const stale = await failure(storage.delete(keyOf('a'), { preconditions: { resourceVersion: '1' } }))
        expect(stale.message).toMatch(/ResourceVersion in precondition: 1, ResourceVersion in object meta: \d+$/)
        await storage.delete(keyOf('a'), { preconditions: { uid: 'uid-a' } })
      })

      itAtStorage('believes a guess that is true, and looks again when it is not', async () => {
        const guess = await create('a', { spec: 1 })
        await set('a', 2)
        const seen: unknown[] = []
        const deleted = await storage.delete(keyOf('a'), {
          cachedExistingObject: guess,
          validateDeletion: (current) => void seen.push(current.object['spec']),
        })
        expect(seen).toEqual([1, 2])
        expect(deleted.object['spec']).toBe(2)
      })

      it('lets the truth decide when only the guess is refused', async () => {
        const guess = await create('a', { spec: 'refused' })
        await set('a', 'fine')
        const validateDeletion = (current: StoredObject): void => {
          if (current.object['spec'] === 'refused') throw new Error('refused')
        }
        await storage.delete(keyOf('a'), { cachedExistingObject: guess, validateDeletion })
        await create('b', { spec: 'refused' })
        await expect(storage.delete(keyOf('b'), { validateDeletion })).rejects.toThrow('refused')
      })

      it('refuses what the truth refuses, though the guess did not', async () => {
        const guess = await create('a', { spec: 'fine' })
        await set('a', 'refused')
        const validateDeletion = (current: StoredObject): void => {
          if (current.object['spec'] === 'refused') throw new Error('refused')
        }
        await expect(storage.delete(keyOf('a'), { cachedExistingObject: guess, validateDeletion })).rejects.toThrow(
          'refused',
        )
      })

      it('says that the object is gone when the guess is of a deleted one', async () => {
        const guess = await create('a')
        await storage.delete(keyOf('a'))
        expect((await failure(storage.delete(keyOf('a'), { cachedExistingObject: guess }))).code).toBe('key not found')
      })

      it('deletes the newer object when an update comes between', async () => {
        await create('a', { spec: 1 })
        let updated = false
        const deleted = await storage.delete(keyOf('a'), {
          validateDeletion: async () => {
            if (!updated) await set('a', 2)
            updated = true
          },
        })
        expect(deleted.object['spec']).toBe(2)
      })
    })

    describe('guaranteedUpdate', () => {
      it('writes what it is given, with a new resource version', async () => {
        const created = await create('a', { spec: 1 })
        const updated = await storage.guaranteedUpdate(keyOf('a'), {
          tryUpdate: (current, meta) => {
            expect(meta.resourceVersion).toBe(created.resourceVersion)
            expect(current!.object).toEqual(created.object)
            return { object: { ...current!.object, spec: 2 } }
          },
        })
        expect(updated.resourceVersion).toBe(created.resourceVersion + 1)
        expect(updated.object).toMatchObject({
          metadata: { resourceVersion: String(updated.resourceVersion) },
          spec: 2,
        })
      })

      it('writes nothing when nothing changes, whatever the order of keys', async () => {
        const created = await create('a', { spec: { x: 1, y: [{ z: 2 }] } })
        const watch = await startWatch({ resourceVersion: String(created.resourceVersion) })
        const same = await set('a', { y: [{ z: 2 }], x: 1 })
        expect(same.resourceVersion).toBe(created.resourceVersion)
        const changed = await set('a', { y: [], x: 1 })
        expect(changed.resourceVersion).toBe(created.resourceVersion + 1)
        expect(await take(watch, 1)).toEqual([['MODIFIED', 'a', changed.resourceVersion]])
      })

      it('looks again before it believes that a guess is already as wanted', async () => {
        const guess = await create('a', { spec: 1 })
        await set('a', 2)
        const result = await storage.guaranteedUpdate(keyOf('a'), {
          cachedExistingObject: guess,
          tryUpdate: (current) => ({ object: { ...current!.object, spec: 1 } }),
        })
        expect(result.object['spec']).toBe(1)
        expect(result.resourceVersion).toBe(guess.resourceVersion + 2)
      })

      it('creates what is absent, if it may', async () => {
        const tryUpdate = (current: StoredObject | undefined): { object: KubeObject } => {
          expect(current).toBeUndefined()
          return { object: widget('a') }
        }
        expect((await failure(storage.guaranteedUpdate(keyOf('a'), { tryUpdate }))).code).toBe('key not found')
        const created = await storage.guaranteedUpdate(keyOf('a'), { tryUpdate, ignoreNotFound: true })
        expect(created.object.metadata.name).toBe('a')
      })

      it('tries again on what came between', async () => {
        await create('a', { spec: [] })
        const seen: unknown[] = []
        const updated = await storage.guaranteedUpdate(keyOf('a'), {
          tryUpdate: async (current) => {
            const spec = current!.object['spec'] as unknown[]
            seen.push(spec)
            if (seen.length === 1) await set('a', ['theirs'])
            return { object: { ...current!.object, spec: [...spec, 'mine'] } }
          },
        })
        expect(seen).toEqual([[], ['theirs']])
        expect(updated.object['spec']).toEqual(['theirs', 'mine'])
      })

      it('looks again when a guess does not meet the preconditions or is refused', async () => {
        const guess = await create('a', { spec: 'stale' })
        const current = await set('a', 'fresh')
        const tryUpdate = (current: StoredObject | undefined): { object: KubeObject } => {
          if (current!.object['spec'] === 'stale') throw new Error('refused')
          return { object: { ...current!.object, spec: 'done' } }
        }
        const options = { cachedExistingObject: guess, tryUpdate }
        const preconditions = { resourceVersion: String(current.resourceVersion) }
        expect((await storage.guaranteedUpdate(keyOf('a'), { ...options, preconditions })).object['spec']).toBe('done')
        const error = await failure(storage.guaranteedUpdate(keyOf('a'), { ...options, preconditions }))
        expect((interpretUpdateError(error, groupResource, 'a') as StatusError).code).toBe(409)
      })

      it('passes on what a true guess is refused for, after one look', async () => {
        const guess = await create('a')
        let calls = 0
        const refused = storage.guaranteedUpdate(keyOf('a'), {
          cachedExistingObject: guess,
          tryUpdate: () => {
            calls++
            throw new Error('refused')
          },
        })
        await expect(refused).rejects.toThrow('refused')
        expect(calls).toBe(1)
      })

      it('counts every one of many concurrent updates', async () => {
        await create('a', { spec: 0 })
        const increment = (): Promise<StoredObject> =>
          storage.guaranteedUpdate(keyOf('a'), {
            tryUpdate: (current) => ({ object: { ...current!.object, spec: (current!.object['spec'] as number) + 1 } }),
          })
        await Promise.all(Array.from({ length: 10 }, increment))
        expect((await storage.get(keyOf('a'))).object['spec']).toBe(10)
      })
    })

    describe('getList', () => {
      it('lists what lies under a key, in order, at one resource version', async () => {
        await create('b')
        await create('a')
        await storage.create(keyOf('c', 'other'), widget('c'))
        await storage.create(`${prefix}/ns2/d`, widget('d'))
        const resourceVersion = String(await writeElsewhere())
        const all = await list()
        expect(all).toMatchObject({ resourceVersion, continue: '', remainingItemCount: undefined })
        expect(names(all.items)).toEqual(['a', 'b', 'd', 'c'])
        expect(names((await list({}, `${prefix}/ns`)).items)).toEqual(['a', 'b'])
        expect(names((await list({}, keyOf('a'))).items)).toEqual([])
        expect(names((await list({ recursive: false }, `${prefix}/ns`)).items)).toEqual([])
        expect(names((await list({ recursive: false }, keyOf('a'))).items)).toEqual(['a'])
        expect((await list({ recursive: false }, keyOf('absent'))).resourceVersion).toBe(resourceVersion)
      })

      it('gives an empty list a resource version, too', async () => {
        const empty = await list()
        expect(empty.items).toEqual([])
        expect(Number(empty.resourceVersion)).toBe(await storage.currentResourceVersion())
      })

      it('gives pages of one revision', async () => {
        for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name)
        const first = await list({ limit: 2 })
        expect(names(first.items)).toEqual(['a', 'b'])
        expect(first.remainingItemCount).toBe(3)
        expect(decodeContinue(first.continue, '/p/')).toEqual({
          startKey: '/p/ns/b\0',
          resourceVersion: BigInt(first.resourceVersion),
        })
        await storage.delete(keyOf('d'))
        await create('c2')
        const second = await list({ limit: 2, continue: first.continue })
        expect(names(second.items)).toEqual(['c', 'd'])
        expect(second).toMatchObject({ resourceVersion: first.resourceVersion, remainingItemCount: 1 })
        const last = await list({ limit: 2, continue: second.continue })
        expect(names(last.items)).toEqual(['e'])
        expect(last).toMatchObject({ resourceVersion: first.resourceVersion, continue: '' })
        expect(last.remainingItemCount).toBeUndefined()
      })

      it('goes on where the page is full though it ends exactly there', async () => {
        for (const name of ['a', 'b']) await create(name)
        expect((await list({ limit: 2 })).continue).toBe('')
        expect((await list({ limit: 3 })).continue).toBe('')
      })

      it('selects by labels and fields', async () => {
        await create('a', {}, { app: 'x' })
        await create('b', {}, { app: 'y' })
        expect(names((await list({ label: LabelSelector.parse('app=y') })).items)).toEqual(['b'])
        expect(names((await list({ field: FieldSelector.parse('metadata.name!=b') })).items)).toEqual(['a'])
      })

      it('fills pages from what the selector leaves, and does not guess what remains', async () => {
        for (let i = 0; i < 40; i++)
          await create(`w${String(i).padStart(2, '0')}`, {}, i % 13 === 12 ? { rare: 'yes' } : {})
        const label = LabelSelector.parse('rare')
        const first = await list({ label, limit: 1 })
        expect(names(first.items)).toEqual(['w12'])
        expect(first.remainingItemCount).toBeUndefined()
        const second = await list({ label, limit: 1, continue: first.continue })
        expect(names(second.items)).toEqual(['w25'])
        const third = await list({ label, limit: 1, continue: second.continue })
        expect(names(third.items)).toEqual(['w38'])
        // One is left, and nobody knows that it does not match.
        expect(third.continue).not.toBe('')
        const last = await list({ label, limit: 1, continue: third.continue })
        expect(last).toMatchObject({ items: [], continue: '' })
      })

      it('lists as it was at an exact resource version', async () => {
        const { resourceVersion } = await create('a')
        await create('b')
        await storage.delete(keyOf('a'))
        const exact = { resourceVersion: String(resourceVersion), resourceVersionMatch: 'Exact' }
        expect(await list(exact)).toMatchObject({ resourceVersion: String(resourceVersion) })
        expect(names((await list(exact)).items)).toEqual(['a'])
        expect(names((await list({ ...exact, recursive: false }, keyOf('a'))).items)).toEqual(['a'])
        // With a limit, a resource version alone is an exact one.
        expect(names((await list({ resourceVersion: String(resourceVersion), limit: 5 })).items)).toEqual(['a'])
        expect(names((await list({ resourceVersion: String(resourceVersion) })).items)).toEqual(['b'])
        expect(names((await list({ ...exact, resourceVersionMatch: 'NotOlderThan' })).items)).toEqual(['b'])
        expect(names((await list({ resourceVersion: '0', limit: 5 })).items)).toEqual(['b'])
      })

      itAtStorage('refuses a resource version that is not there yet', async () => {
        await create('a')
        const current = await storage.currentResourceVersion()
        for (const resourceVersion of [String(current + 100), '18446744073709551615']) {
          for (const resourceVersionMatch of ['Exact', 'NotOlderThan', '']) {
            const error = await failure(list({ resourceVersion, resourceVersionMatch }))
            expect(error.message).toBe(`Timeout: Too large resource version: ${resourceVersion}, current: ${current}`)
            expect(error.status.details).toEqual({
              causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            })
          }
        }
      })

      itAtStorage('says that an exact resource version is too old', async () => {
        const { resourceVersion } = await create('a')
        await create('b')
        await tested.kv.compact(await storage.currentResourceVersion())
        const error = await failure(list({ resourceVersion: String(resourceVersion), resourceVersionMatch: 'Exact' }))
        expect(isResourceExpired(error)).toBe(true)
        expect(error.status).toMatchObject({
          metadata: {},
          message: 'The resourceVersion for the provided list is too old.',
          code: 410,
        })
      })

      itAtStorage('says how to go on when the continue token is too old', async () => {
        for (const name of ['a', 'b', 'c']) await create(name)
        const first = await list({ limit: 1 })
        await storage.delete(keyOf('b'))
        await create('d')
        await tested.kv.compact(await storage.currentResourceVersion())
        const error = await failure(list({ limit: 1, continue: first.continue }))
        expect(error.status.message).toMatch(
          /^The provided continue parameter is too old .* and now may show up in the list\.$/,
        )
        const token = error.status.metadata.continue!
        expect(decodeContinue(token, '/p/')).toEqual({ startKey: '/p/ns/a\0', resourceVersion: -1n })
        const inconsistent = await list({ limit: 5, continue: token })
        expect(names(inconsistent.items)).toEqual(['c', 'd'])
        expect(inconsistent.resourceVersion).toBe(String(await storage.currentResourceVersion()))
      })

      it('calls what contradicts itself a bad request', async () => {
        const bad = async (parts: ListParts): Promise<string> => {
          const { status } = await failure(list(parts))
          expect(status.code).toBe(400)
          return status.message!
        }
        await create('a')
        await create('b')
        const { continue: token } = await list({ limit: 1 })
        expect(await bad({ continue: token, resourceVersion: '5' })).toBe(
          'specifying resource version is not allowed when using continue',
        )
        expect(names((await list({ continue: token, resourceVersion: '0' })).items)).toEqual(['b'])
        expect(await bad({ continue: 'abcde' })).toBe(
          'invalid continue token: continue key is not valid: illegal base64 data at input byte 4',
        )
        expect(await bad({ resourceVersion: '-1' })).toMatch(
          /^invalid resource version: resourceVersion: Invalid value/,
        )
        await expect(list({ resourceVersion: '1', resourceVersionMatch: 'Nope' })).rejects.toThrow(
          'unknown ResourceVersionMatch value: Nope',
        )
      })
    })

    describe('watch', () => {
      it('begins with what is there, and goes on with what changes', async () => {
        const a = await create('a')
        const watch = await startWatch()
        const b = await create('b')
        const changed = await set('a', 1)
        const deleted = await storage.delete(keyOf('b'))
        expect(await take(watch, 4)).toEqual([
          ['ADDED', 'a', a.resourceVersion],
          ['ADDED', 'b', b.resourceVersion],
          ['MODIFIED', 'a', changed.resourceVersion],
          ['DELETED', 'b', deleted.resourceVersion],
        ])
      })

      it('begins after a resource version', async () => {
        const a = await create('a')
        const b = await create('b')
        const watch = await startWatch({ resourceVersion: String(a.resourceVersion) })
        expect(await take(watch, 1)).toEqual([['ADDED', 'b', b.resourceVersion]])
      })

      it('begins now, without what is there, if asked to', async () => {
        await create('a')
        const watch = await startWatch({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' })
        const b = await create('b')
        expect(await take(watch, 1)).toEqual([['ADDED', 'b', b.resourceVersion]])
      })

      itAtStorage('tells when it has told what is there', async () => {
        const a = await create('a')
        const b = await create('b')
        await storage.delete(keyOf('a'))
        const current = await writeElsewhere()
        const wanted = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
        const watch = await startWatch({ ...wanted, resourceVersion: String(a.resourceVersion) })
        const c = await create('c')
        expect(await take(watch, 3)).toEqual([
          ['ADDED', 'b', b.resourceVersion],
          ['BOOKMARK', current, true],
          ['ADDED', 'c', c.resourceVersion],
        ])
      })

      itAtStorage('refuses to begin with a state that is not there yet', async () => {
        await create('a')
        const current = await storage.currentResourceVersion()
        const watch = await startWatch({
          sendInitialEvents: true,
          resourceVersionMatch: 'NotOlderThan',
          resourceVersion: String(current + 100),
        })
        const [[type, status]] = (await take(watch, 1)) as [[string, StatusError['status']]]
        expect(type).toBe('ERROR')
        expect(status.message).toBe(`Timeout: Too large resource version: ${current + 100}, current: ${current}`)
        expect([1, 2, 3]).toContain(status.details!.retryAfterSeconds)
        expect(watch.ended).toBe(true)
      })

      it('shows a deletion as the last state with the resource version of the deletion', async () => {
        const a = await create('a', { spec: 1 })
        const watch = await startWatch({ resourceVersion: String(a.resourceVersion) })
        const deleted = await storage.delete(keyOf('a'))
        let event = watch.poll()
        while (event === undefined) {
          await new Promise<void>((resolve) => (watch.onReadable = resolve))
          event = watch.poll()
        }
        expect(event).toMatchObject({ type: 'DELETED', object: { key: keyOf('a'), object: deleted.object } })
      })

      it('shows what a selector makes of a change', async () => {
        const a = await create('a', {}, { app: 'x' })
        await create('b', {}, { app: 'y' })
        const label = LabelSelector.parse('app=x')
        const watch = await startWatch({ label })
        const relabel = (name: string, app: string, spec?: number): Promise<StoredObject> =>
          storage.guaranteedUpdate(keyOf(name), { tryUpdate: () => ({ object: widget(name, { spec }, { app }) }) })
        const same = await relabel('a', 'x', 1)
        await relabel('b', 'y', 1)
        const gone = await relabel('a', 'z')
        const come = await relabel('b', 'x')
        expect(await take(watch, 4)).toEqual([
          ['ADDED', 'a', a.resourceVersion],
          ['MODIFIED', 'a', same.resourceVersion],
          ['DELETED', 'a', gone.resourceVersion],
          ['ADDED', 'b', come.resourceVersion],
        ])
      })

      it('watches one object, or one namespace', async () => {
        const one = await startWatch({ recursive: false }, keyOf('a'))
        const namespace = await startWatch({}, `${prefix}/ns`)
        const a = await create('a')
        await storage.create(`${prefix}/ns2/b`, widget('b'))
        const c = await create('c')
        const again = await set('a', 1)
        expect(await take(one, 2)).toEqual([
          ['ADDED', 'a', a.resourceVersion],
          ['MODIFIED', 'a', again.resourceVersion],
        ])
        expect(await take(namespace, 3)).toEqual([
          ['ADDED', 'a', a.resourceVersion],
          ['ADDED', 'c', c.resourceVersion],
          ['MODIFIED', 'a', again.resourceVersion],
        ])
      })

      itAtStorage('says that its start is too old', async () => {
        const a = await create('a')
        await create('b')
        await create('c')
        await tested.kv.compact(await storage.currentResourceVersion())
        const watch = await startWatch({ resourceVersion: String(a.resourceVersion) })
        expect(await take(watch, 1)).toEqual([
          [
            'ERROR',
            {
              kind: 'Status',
              apiVersion: 'v1',
              metadata: {},
              status: 'Failure',
              message: 'The resourceVersion for the provided watch is too old.',
              reason: 'Expired',
              code: 410,
            },
          ],
        ])
        expect(watch.ended).toBe(true)
      })

      itAtStorage('fails when it cannot tell what a change changed, and tells nothing after that', async () => {
        const a = await create('a', { spec: 1 })
        const changed = await set('a', 2)
        await create('b')
        await tested.kv.compact(changed.resourceVersion)
        const watch = await startWatch({ resourceVersion: String(a.resourceVersion) })
        const message = `etcd event received with PrevKv=nil (key="/registry${keyOf('a')}", modRevision=${changed.resourceVersion}, type=PUT)`
        expect(await take(watch, 1)).toMatchObject([
          ['ERROR', { code: 500, reason: 'InternalError', message: `Internal error occurred: ${message}` }],
        ])
        expect(watch.ended).toBe(true)
        expect(watch.poll()).toBeUndefined()
      })

      it('throws a malformed resource version as it is', async () => {
        await expect(startWatch({ resourceVersion: 'abc' })).rejects.toThrow(
          /^resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax$/,
        )
      })

      it('waits silently for a resource version that is not there yet', async () => {
        const current = await storage.currentResourceVersion()
        const watch = await startWatch({ resourceVersion: String(current + 2) })
        for (const name of ['a', 'b']) await create(name)
        const c = await create('c')
        expect(await take(watch, 1)).toEqual([['ADDED', 'c', c.resourceVersion]])
        const never = await startWatch({ resourceVersion: '18446744073709551615' })
        expect([never.poll(), never.ended]).toEqual([undefined, false])
      })

      itAtStorage('passes progress on to whoever asked for it, and only to them', async () => {
        const a = await create('a')
        const asked = await startWatch({ resourceVersion: String(a.resourceVersion - 1), progressNotify: true })
        const silent = await startWatch({ resourceVersion: String(a.resourceVersion - 1) })
        expect(await take(asked, 1)).toHaveLength(1)
        const current = await writeElsewhere()
        let event = asked.poll()
        while (event === undefined) {
          await storage.requestWatchProgress()
          await new Promise((resolve) => setTimeout(resolve, 0))
          event = asked.poll()
        }
        expect(event).toEqual({ type: 'BOOKMARK', resourceVersion: current, initialEventsEnd: false })
        const b = await create('b')
        expect(await take(silent, 2)).toEqual([
          ['ADDED', 'a', a.resourceVersion],
          ['ADDED', 'b', b.resourceVersion],
        ])
      })

      itAtStorage('ends without an error when it is stopped, aborted, or its storage is closed', async () => {
        const aborted = new AbortController()
        const byAbort = await startWatch({ signal: aborted.signal })
        const byStop = await startWatch()
        const byClose = await startWatch()
        await create('a')
        aborted.abort()
        byStop.stop()
        byStop.stop()
        await storage.close()
        for (const watch of [byAbort, byStop, byClose]) expect([watch.poll(), watch.ended]).toEqual([undefined, true])
      })

      it('can be iterated', async () => {
        await create('a')
        await create('b')
        const watch = await startWatch()
        const seen: unknown[] = []
        for await (const event of watch) {
          seen.push(event.type)
          if (seen.length === 2) break
        }
        expect(seen).toEqual(['ADDED', 'ADDED'])
        expect(watch.ended).toBe(true)
      })
    })
  })
}

import { newInvalidObjectError, newKeyNotFoundError } from '../errors/storage-error.ts'
import type { KubeObject } from '../meta/types.ts'
import type { KeyValue } from './kv.ts'
import type { LeaseManager } from './lease-manager.ts'
import { prepareObjectForStorage, sameStoredForm } from './prepare-object.ts'
import type { DeleteOptions, GuaranteedUpdateOptions, Preconditions } from './storage.ts'
import type { StoreContext } from './store-context.ts'
import type { StoredObject } from './stored-object.ts'
import { StoredValue } from './value.ts'

/** What an object looks like before a write: the truth, or a guess that may be stale. */
interface ObjectState<T extends KubeObject> {
  readonly stored: StoredObject<T> | undefined
  /** 0 when there is none. */
  readonly revision: number
}

/** Reads and changes one key, again and again until nobody came between (`pkg/storage/etcd3/store.go`). */
export class ObjectWriter<T extends KubeObject> {
  readonly #context: StoreContext<T>
  readonly #fullKey: string
  readonly #ignoreNotFound: boolean
  readonly #signal: AbortSignal | undefined

  constructor(
    context: StoreContext<T>,
    fullKey: string,
    options: { readonly ignoreNotFound?: boolean; readonly signal?: AbortSignal | undefined },
  ) {
    this.#context = context
    this.#fullKey = fullKey
    this.#ignoreNotFound = options.ignoreNotFound ?? false
    this.#signal = options.signal
  }

  async #readState(): Promise<ObjectState<T>> {
    const found = await this.#context.request('get', () =>
      this.#context.kv.get(this.#fullKey, { signal: this.#signal }),
    )
    return this.#stateOf(found.kv)
  }

  #stateOf(kv: KeyValue | undefined): ObjectState<T> {
    if (kv !== undefined) return { stored: this.#context.decode(kv), revision: kv.modRevision }
    if (!this.#ignoreNotFound) throw newKeyNotFoundError(this.#fullKey, 0)
    return { stored: undefined, revision: 0 }
  }

  /** `GuaranteedUpdate` */
  async update(options: GuaranteedUpdateOptions<T>, leases: LeaseManager): Promise<StoredObject<T>> {
    const { cachedExistingObject: guess, preconditions, tryUpdate } = options
    let current = guess === undefined
    let state = guess === undefined ? await this.#readState() : stateOfGuess(guess)
    for (;;) {
      const refused = checkPreconditions(this.#fullKey, preconditions, state.stored)
      if (refused !== undefined) {
        if (current) throw refused
        state = await this.#readState()
        current = true
        continue
      }

      let object: T
      let ttlSeconds: number
      try {
        const outcome = await tryUpdate(state.stored, { resourceVersion: state.revision })
        object = prepareObjectForStorage(outcome.object)
        ttlSeconds = outcome.ttlSeconds ?? 0
      } catch (error) {
        if (current) throw error
        const guessed = state.revision
        state = await this.#readState()
        current = true
        // The guess was right, and so is what was said of it.
        if (guessed === state.revision) throw error
        continue
      }

      if (state.stored !== undefined && sameStoredForm(object, state.stored.object)) {
        if (!current) {
          state = await this.#readState()
          current = true
          if (state.stored === undefined || !sameStoredForm(object, state.stored.object)) continue
        }
        return state.stored
      }

      const put = StoredValue.fromObject(object)
      const expectedRevision = state.revision
      const written = await leases.withLease(ttlSeconds, (lease) => {
        const request = { key: this.#fullKey, expectedRevision, put, lease, signal: this.#signal }
        return this.#context.request('update', () => this.#context.kv.txn(request))
      })
      if (written.succeeded) {
        return this.#context.decode({ key: this.#fullKey, value: put, modRevision: written.revision })
      }
      state = this.#stateOf(written.current)
      current = true
    }
  }

  /** `conditionalDelete` */
  async delete(options: DeleteOptions<T>): Promise<StoredObject<T>> {
    const { cachedExistingObject: guess, preconditions, validateDeletion } = options
    let current = guess === undefined
    let state = guess === undefined ? await this.#readState() : stateOfGuess(guess)
    for (;;) {
      const stored = state.stored!
      try {
        const refused = checkPreconditions(this.#fullKey, preconditions, stored)
        if (refused !== undefined) throw refused
        await validateDeletion?.(stored)
      } catch (error) {
        if (current) throw error
        const guessed = state.revision
        state = await this.#readState()
        current = true
        if (guessed === state.revision) throw error
        continue
      }
      const request = { key: this.#fullKey, expectedRevision: state.revision, put: undefined, signal: this.#signal }
      const deleted = await this.#context.request('delete', () => this.#context.kv.txn(request))
      if (deleted.succeeded) return stored.withResourceVersion(deleted.revision)
      state = this.#stateOf(deleted.current)
      current = true
    }
  }
}

function stateOfGuess<T extends KubeObject>(guess: StoredObject<T>): ObjectState<T> {
  return { stored: guess, revision: guess.resourceVersion }
}

/** What stands against a write (`pkg/storage/interfaces.go: Preconditions.Check`). */
function checkPreconditions(
  fullKey: string,
  preconditions: Preconditions | undefined,
  stored: StoredObject | undefined,
): Error | undefined {
  if (preconditions === undefined) return undefined
  const { uid = '', resourceVersion = '' } = stored?.object.metadata ?? {}
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const message = `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`
    return newInvalidObjectError(fullKey, message)
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const message = `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`
    return newInvalidObjectError(fullKey, message)
  }
  return undefined
}

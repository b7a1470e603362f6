import type { RequestAttributes } from '../api/request-info.ts'

/** One request and how it was served. */
export interface JournalEntry extends RequestAttributes {
  /** 1 for the first request the server ever got. */
  readonly id: number
  /** When it came, in milliseconds since the epoch. */
  readonly time: number
  readonly method: string
  /** Path with the query, as sent. */
  readonly url: string
  /** The resourceVersion asked for; `undefined` when the request named none. */
  readonly resourceVersion: string | undefined
  readonly resourceVersionMatch: string | undefined
  readonly userAgent: string | undefined
  /** HTTP status of the answer; 0 until there is one. */
  status: number
  /** `reason` of a Status answer. */
  reason: string | undefined
  /** The resourceVersion given: of the object or of the list. */
  givenResourceVersion: string | undefined
  /** Who answered a read. */
  source: 'cache' | 'storage' | undefined
  /** Milliseconds the read waited for the cache to catch up; `undefined` when it did not have to. */
  waitedMs: number | undefined
  /** A late consistent read that the storage answered instead (`true`), or that was refused with 429 (`skipped`). */
  fallback: 'true' | 'skipped' | undefined
  /** Milliseconds from the request to the answer's headers. */
  durationMs: number
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** The latest requests of a server, oldest first; older ones are forgotten. */
export class Journal {
  readonly #limit: number
  #entries: JournalEntry[] = []
  #nextId = 1

  /** @param limit how many entries are kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes in the entry of a request that has come in; its answer is filled in later. */
  add(entry: Omit<JournalEntry, 'id'>): JournalEntry {
    const added: JournalEntry = Object.assign(entry, { id: this.#nextId++ })
    this.#entries.push(added)
    // Dropped in halves, so that a full journal does not move all its entries with each request.
    if (this.#entries.length >= this.#limit * 2) this.#entries = this.#entries.slice(-this.#limit)
    return added
  }

  /** All entries, or those that `filter` lets through; a filter's fields must be equal to the entry's. */
  entries(filter?: Partial<JournalEntry> | ((entry: JournalEntry) => boolean)): readonly JournalEntry[] {
    const kept = this.#entries.slice(-this.#limit)
    if (filter === undefined) return kept
    return kept.filter(typeof filter === 'function' ? filter : (entry) => matches(entry, filter))
  }

  /** Entries that are reads of a resource: get, list and watch. */
  reads(filter?: Partial<JournalEntry> | ((entry: JournalEntry) => boolean)): readonly JournalEntry[] {
    return this.entries(filter).filter((entry) => entry.resource !== '' && READS.has(entry.verb))
  }

  /** Entries that are writes of a resource. */
  writes(filter?: Partial<JournalEntry> | ((entry: JournalEntry) => boolean)): readonly JournalEntry[] {
    return this.entries(filter).filter((entry) => entry.resource !== '' && !READS.has(entry.verb))
  }

  /** Forgets everything; numbers go on. */
  clear(): void {
    this.#entries = []
  }
}

function matches(entry: JournalEntry, filter: Partial<JournalEntry>): boolean {
  for (const [name, value] of Object.entries(filter)) if (entry[name as keyof JournalEntry] !== value) return false
  return true
}

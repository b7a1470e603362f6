import { compareKeys, prefixEnd } from '../meta/key.ts'

/** Something that is kept in the order of its key. */
export interface Keyed {
  readonly key: string
}

/** Most entries of a node; a node of half of it can still be split and merged. */
const width = 32

interface Leaf<E extends Keyed> {
  readonly leaf: true
  /** Entries below. */
  readonly size: number
  /** Lowest key below. */
  readonly min: string
  readonly items: readonly E[]
}

interface Branch<E extends Keyed> {
  readonly leaf: false
  readonly size: number
  readonly min: string
  readonly items: readonly Node<E>[]
}

type Node<E extends Keyed> = Leaf<E> | Branch<E>

/** Code units that native comparison orders otherwise than the bytes of UTF-8 (U+FFFF comes before U+10000). */
const beyondSurrogates = /[\ud800-\uffff]/

/**
 * An immutable map ordered by the UTF-8 bytes of its keys, a B+ tree that shares all but one path with the
 * map it was made from: a copy costs nothing and a change O(log n), so that a state can be kept per event
 * (`pkg/storage/cacher/store/store_btree.go` has a copy-on-write B-tree for it).
 */
export class OrderedMap<E extends Keyed> {
  readonly #root: Node<E> | undefined
  /** All keys compare natively as their bytes do. */
  readonly #plain: boolean

  private constructor(root: Node<E> | undefined, plain: boolean) {
    this.#root = root
    this.#plain = plain
  }

  /** The map without entries. */
  static empty<E extends Keyed>(): OrderedMap<E> {
    return new OrderedMap<E>(undefined, true)
  }

  /** From entries in any order; of entries with the same key the last counts. */
  static from<E extends Keyed>(entries: Iterable<E>): OrderedMap<E> {
    const byKey = new Map<string, E>()
    let plain = true
    for (const entry of entries) {
      byKey.set(entry.key, entry)
      if (plain && beyondSurrogates.test(entry.key)) plain = false
    }
    const compare = plain ? compareNative : compareKeys
    const items = [...byKey.values()].sort((a, b) => compare(a.key, b.key))
    let level: Node<E>[] = chunks(items).map((chunk) => leafOf(chunk))
    while (level.length > 1) level = chunks(level).map((chunk) => branchOf(chunk))
    return new OrderedMap(level[0], plain)
  }

  get size(): number {
    return this.#root?.size ?? 0
  }

  get(key: string): E | undefined {
    let node = this.#root
    if (node === undefined) return undefined
    const compare = this.#compareFor(key)
    while (!node.leaf) node = node.items[childIndex(node, key, compare)]!
    const index = lowerBound(node.items, key, compare)
    const item = node.items[index]
    return item?.key === key ? item : undefined
  }

  /** A map with `entry` added or put in the place of the one with its key. */
  set(entry: E): OrderedMap<E> {
    const plain = this.#plain && !beyondSurrogates.test(entry.key)
    if (this.#root === undefined) return new OrderedMap(leafOf([entry]), plain)
    const made = insert(this.#root, entry, plain ? compareNative : compareKeys)
    return new OrderedMap(made.length === 1 ? made[0] : branchOf(made), plain)
  }

  /** A map without `key`; this one if there is none. */
  delete(key: string): OrderedMap<E> {
    if (this.#root === undefined) return this
    let root = remove(this.#root, key, this.#compareFor(key))
    if (root === this.#root) return this
    while (root !== undefined && !root.leaf && root.items.length === 1) root = root.items[0]
    return new OrderedMap(root, root === undefined || this.#plain)
  }

  /** All entries, in order. */
  toArray(): E[] {
    const out: E[] = []
    if (this.#root !== undefined) collectAll(this.#root, out)
    return out
  }

  /** The entries whose keys start with `prefix`, in order, from `from` on (inclusive; default: from the first). */
  withPrefix(prefix: string, from: string = prefix): E[] {
    const out: E[] = []
    this.visit(prefix, from, (entry) => {
      out.push(entry)
      return true
    })
    return out
  }

  /** Shows the entries of {@link OrderedMap.withPrefix} one by one, until `visitor` answers false. */
  visit(prefix: string, from: string, visitor: (entry: E) => boolean): void {
    if (this.#root === undefined) return
    const start = compareKeys(from, prefix) < 0 ? prefix : from
    visitPrefix(this.#root, start, prefix, this.#compareFor(start), visitor)
  }

  /** How many entries {@link OrderedMap.withPrefix} would give, without visiting them. */
  count(prefix: string, from: string = prefix): number {
    if (this.#root === undefined) return 0
    const start = compareKeys(from, prefix) < 0 ? prefix : from
    const below = rankOf(this.#root, start, this.#compareFor(start))
    let until = this.size
    if (prefix !== '') {
      const end = prefixEnd(prefix)
      until = rankOf(this.#root, end, this.#compareFor(end))
    }
    return Math.max(0, until - below)
  }

  #compareFor(key: string): Compare {
    return this.#plain && !beyondSurrogates.test(key) ? compareNative : compareKeys
  }
}

type Compare = (a: string, b: string) => number

function compareNative(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1
}

function leafOf<E extends Keyed>(items: readonly E[]): Leaf<E> {
  return { leaf: true, size: items.length, min: items[0]!.key, items }
}

/** @param size entries below, where that is known already */
function branchOf<E extends Keyed>(items: readonly Node<E>[], size: number = sizeOf(items)): Branch<E> {
  return { leaf: false, size, min: items[0]!.min, items }
}

function sizeOf<E extends Keyed>(items: readonly Node<E>[]): number {
  let size = 0
  for (const item of items) size += item.size
  return size
}

/** In even pieces that are at most three quarters full, with room for insertions. */
function chunks<I>(items: readonly I[]): I[][] {
  const pieces = Math.ceil(items.length / ((width * 3) / 4))
  const out: I[][] = []
  for (let i = 0; i < pieces; i++) {
    out.push(items.slice(Math.floor((i * items.length) / pieces), Math.floor(((i + 1) * items.length) / pieces)))
  }
  return out
}

/** Index of the first entry whose key is not below `key`. */
function lowerBound<E extends Keyed>(items: readonly E[], key: string, compare: Compare): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(items[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the child that holds `key` if any does. */
function childIndex<E extends Keyed>(branch: Branch<E>, key: string, compare: Compare): number {
  let low = 1
  let high = branch.items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(branch.items[middle]!.min, key) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Answers what to put in the place of `node`: one node, or two where it became too wide. */
function insert<E extends Keyed>(node: Node<E>, entry: E, compare: Compare): Node<E>[] {
  if (node.leaf) {
    const index = lowerBound(node.items, entry.key, compare)
    const items = node.items.slice()
    if (items[index]?.key === entry.key) items[index] = entry
    else items.splice(index, 0, entry)
    if (items.length <= width) return [leafOf(items)]
    return [leafOf(items.slice(0, width / 2)), leafOf(items.slice(width / 2))]
  }
  const index = childIndex(node, entry.key, compare)
  const child = node.items[index]!
  const made = insert(child, entry, compare)
  const items = node.items.slice()
  if (made.length === 1) {
    items[index] = made[0]!
    // Not summed up again: that would touch all the other children.
    return [branchOf(items, node.size - child.size + made[0]!.size)]
  }
  items.splice(index, 1, ...made)
  if (items.length <= width) return [branchOf(items, node.size + 1)]
  return [branchOf(items.slice(0, width / 2)), branchOf(items.slice(width / 2))]
}

/** Answers what to put in the place of `node`; `node` itself when `key` is not below it, `undefined` when nothing is left. */
function remove<E extends Keyed>(node: Node<E>, key: string, compare: Compare): Node<E> | undefined {
  if (node.leaf) {
    const index = lowerBound(node.items, key, compare)
    if (node.items[index]?.key !== key) return node
    if (node.items.length === 1) return undefined
    const items = node.items.slice()
    items.splice(index, 1)
    return leafOf(items)
  }
  const index = childIndex(node, key, compare)
  const child = node.items[index]!
  const left = remove(child, key, compare)
  if (left === child) return node
  const items = node.items.slice()
  if (left === undefined) items.splice(index, 1)
  else {
    items[index] = left
    if (left.items.length < width / 4) merge(items, index)
  }
  return items.length === 0 ? undefined : branchOf(items, node.size - 1)
}

/** Joins the narrow node at `index` with a neighbour if both fit into one. */
function merge<E extends Keyed>(items: Node<E>[], index: number): void {
  const first = index > 0 ? index - 1 : index
  const a = items[first]
  const b = items[first + 1]
  if (a === undefined || b === undefined || a.items.length + b.items.length > (width * 3) / 4) return
  const joined =
    a.leaf && b.leaf
      ? leafOf([...a.items, ...b.items])
      : branchOf([...(a as Branch<E>).items, ...(b as Branch<E>).items])
  items.splice(first, 2, joined)
}

function collectAll<E extends Keyed>(node: Node<E>, out: E[]): void {
  if (node.leaf) for (const item of node.items) out.push(item)
  else for (const child of node.items) collectAll(child, out)
}

/** Answers false once `visitor` did or a key beyond the prefix was met. */
function visitPrefix<E extends Keyed>(
  node: Node<E>,
  start: string,
  prefix: string,
  compare: Compare,
  visitor: (entry: E) => boolean,
): boolean {
  if (node.leaf) {
    const items = node.items
    for (let i = lowerBound(items, start, compare); i < items.length; i++) {
      const item = items[i]!
      if (!item.key.startsWith(prefix) || !visitor(item)) return false
    }
    return true
  }
  const first = childIndex(node, start, compare)
  for (let i = first; i < node.items.length; i++) {
    // What comes before a node that begins within the prefix lies within it, too.
    const inside = i > first && node.items[i + 1]?.min.startsWith(prefix) === true
    const child = node.items[i]!
    if (!(inside ? visitAll(child, visitor) : visitPrefix(child, start, prefix, compare, visitor))) return false
  }
  return true
}

function visitAll<E extends Keyed>(node: Node<E>, visitor: (entry: E) => boolean): boolean {
  if (node.leaf) {
    for (const item of node.items) if (!visitor(item)) return false
    return true
  }
  for (const child of node.items) if (!visitAll(child, visitor)) return false
  return true
}

/** How many entries have keys below `key`. */
function rankOf<E extends Keyed>(root: Node<E>, key: string, compare: Compare): number {
  let below = 0
  let node = root
  while (!node.leaf) {
    const index = childIndex(node, key, compare)
    for (let i = 0; i < index; i++) below += node.items[i]!.size
    node = node.items[index]!
  }
  return below + lowerBound(node.items, key, compare)
}

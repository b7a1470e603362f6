import { sortElements, type PathElement } from './path-element.ts'

/** Where a set's members are: one node for each path that is a member or leads to one. */
type Children = ReadonlyMap<PathElement, FieldSet>

/**
 * A set of paths in an object (`structured-merge-diff: fieldpath/set.go`), as a tree. Sets are never changed
 * once made and share their subtrees, so that taking a little from a large one costs little. A path may be a
 * member, lead to members, or both; there are no nodes that do neither, except an empty set's root.
 */
export class FieldSet {
  /** The path to this node is a member itself. Always false at the root. */
  readonly member: boolean
  readonly children: Children | undefined

  constructor(member: boolean, children: Children | undefined) {
    this.member = member
    this.children = children
  }

  static readonly empty: FieldSet = new FieldSet(false, undefined)
  /** The node of a member that leads nowhere. */
  static readonly leaf: FieldSet = new FieldSet(true, undefined)

  /** A node, or `undefined` for one that would be empty. */
  static node(member: boolean, children: Children | undefined): FieldSet | undefined {
    if (children === undefined || children.size === 0) return member ? FieldSet.leaf : undefined
    return new FieldSet(member, children)
  }

  /** The set of the paths given. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    let set = FieldSet.empty
    for (const path of paths) {
      if (path.length === 0) continue
      let node = FieldSet.leaf
      for (let i = path.length - 1; i >= 0; i--) node = new FieldSet(false, new Map([[path[i]!, node]]))
      set = set.union(node)
    }
    return set
  }

  get isEmpty(): boolean {
    return !this.member && this.children === undefined
  }

  /** How many members there are. */
  get size(): number {
    let size = this.member ? 1 : 0
    if (this.children !== undefined) for (const child of this.children.values()) size += child.size
    return size
  }

  has(path: readonly PathElement[]): boolean {
    let children = this.children
    let member = false
    for (const element of path) {
      const node = children?.get(element)
      if (node === undefined) return false
      ;({ children, member } = node)
    }
    return member
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true
    if (this.member !== other.member || (this.children?.size ?? 0) !== (other.children?.size ?? 0)) return false
    if (this.children === undefined) return true
    for (const [element, child] of this.children) {
      const counterpart = other.children!.get(element)
      if (counterpart === undefined || !child.equals(counterpart)) return false
    }
    return true
  }

  /** What is in either. */
  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this
    if (this.isEmpty) return other
    const member = this.member || other.member
    if (other.children === undefined) return member === this.member ? this : new FieldSet(member, this.children)
    if (this.children === undefined) return member === other.member ? other : new FieldSet(member, other.children)
    let children: Map<PathElement, FieldSet> | undefined
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element)
      const both = ours === undefined ? theirs : ours.union(theirs)
      if (both !== ours) (children ??= new Map(this.children)).set(element, both)
    }
    if (children === undefined && member === this.member) return this
    return new FieldSet(member, children ?? this.children)
  }

  /** What is in both. */
  intersection(other: FieldSet): FieldSet {
    return this === other ? this : (this.#intersect(other) ?? FieldSet.empty)
  }

  #intersect(other: FieldSet): FieldSet | undefined {
    let children: Map<PathElement, FieldSet> | undefined
    if (this.children !== undefined && other.children !== undefined) {
      const [few, many] = this.children.size <= other.children.size ? [this, other] : [other, this]
      for (const [element, one] of few.children!) {
        const another = many.children!.get(element)
        const both = another && one.#intersect(another)
        if (both !== undefined) (children ??= new Map()).set(element, both)
      }
    }
    return FieldSet.node(this.member && other.member, children)
  }

  /** What is here and not in the other; members below one that is taken away stay. */
  difference(other: FieldSet): FieldSet {
    return other.isEmpty ? this : (this.#without(other, false) ?? FieldSet.empty)
  }

  /** What is here and neither in the other nor below something in it. */
  recursiveDifference(other: FieldSet): FieldSet {
    return other.isEmpty ? this : (this.#without(other, true) ?? FieldSet.empty)
  }

  #without(other: FieldSet, recursive: boolean): FieldSet | undefined {
    if (recursive && other.member) return undefined
    const member = this.member && !other.member
    if (this.children === undefined || other.children === undefined) {
      return member === this.member ? this : FieldSet.node(member, this.children)
    }
    let children: Map<PathElement, FieldSet> | undefined
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element)
      if (ours === undefined) continue
      const rest = ours.#without(theirs, recursive)
      if (rest === ours) continue
      children ??= new Map(this.children)
      if (rest === undefined) children.delete(element)
      else children.set(element, rest)
    }
    if (children === undefined && member === this.member) return this
    return FieldSet.node(member, children ?? this.children)
  }

  /** The same set, made of the other's parts where they are equal: what is known of those need not be worked out again. */
  reusing(other: FieldSet): FieldSet {
    if (this === other || this.children === undefined || other.children === undefined) {
      return this.children === other.children && this.member === other.member ? other : this
    }
    let same = this.member === other.member && this.children.size === other.children.size
    let children: Map<PathElement, FieldSet> | undefined
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element)
      const reused = theirs === undefined ? child : child.reusing(theirs)
      if (reused !== theirs) same = false
      if (reused !== child) (children ??= new Map(this.children)).set(element, reused)
    }
    if (same) return other
    return children === undefined ? this : new FieldSet(this.member, children)
  }

  /** The members that lead to no others. */
  leaves(): FieldSet {
    if (this.children === undefined) return this
    const children = new Map<PathElement, FieldSet>()
    for (const [element, child] of this.children) children.set(element, child.leaves())
    return new FieldSet(false, children)
  }

  /** The members below an element, without it; an empty set when there are none. */
  withPrefix(element: PathElement): FieldSet {
    const child = this.children?.get(element)
    if (child?.children === undefined) return FieldSet.empty
    return child.member ? new FieldSet(false, child.children) : child
  }

  /** Children in the order of {@link sortElements}. */
  sortedChildren(): (readonly [PathElement, FieldSet])[] {
    const { children } = this
    if (children === undefined) return []
    return sortElements(children.keys()).map((element) => [element, children.get(element)!] as const)
  }

  /** Every member's path: those of a level in order, then those below them (`Set.Iterate`). */
  *paths(prefix: readonly PathElement[] = []): Generator<readonly PathElement[], undefined> {
    const children = this.sortedChildren()
    for (const [element, child] of children) if (child.member) yield [...prefix, element]
    for (const [element, child] of children) if (child.children !== undefined) yield* child.paths([...prefix, element])
  }
}

import type { Atom } from './atom.ts'
import { compareTyped, type Comparison } from './compare.ts'
import { ConflictsError } from './conflict.ts'
import { FieldSet } from './field-set.ts'
import type { ManagedSets } from './managers.ts'
import { mergeTyped } from './merge-typed.ts'
import { ensureNamedFieldsAreMembers, reconcileWithSchema, removeItems } from './remove-items.ts'
import { toFieldSet } from './to-field-set.ts'
import { equalValues, TypedErrors } from './typed-value.ts'

/** An object in one version, and its type there. */
export interface Versioned {
  readonly value: unknown
  readonly apiVersion: string
  readonly atom: Atom
}

/** What an {@link Updater} works with. */
export interface UpdaterOptions {
  /** Brings an object into another version; `undefined` when there is no such version. */
  readonly convert: (object: Versioned, apiVersion: string) => Versioned | undefined
  /** Leaves out the fields that this writer cannot set, as they are put back anyway. */
  readonly filter: (set: FieldSet) => FieldSet
}

/**
 * Keeps track of who owns what as objects change, and merges what is applied
 * (`structured-merge-diff: merge/update.go`). Managers are never changed in place.
 */
export class Updater {
  readonly #convert: UpdaterOptions['convert']
  readonly #filter: UpdaterOptions['filter']

  constructor(options: UpdaterOptions) {
    this.#convert = options.convert
    this.#filter = options.filter
  }

  /** After a write other than an apply: the manager gets all that changed, the others lose it. */
  update(live: Versioned, object: Versioned, managers: ManagedSets, manager: string): ManagedSets {
    const { apiVersion } = object
    const { managers: rest, comparison } = this.#takeFrom(live, object, this.#reconcile(live, managers), manager, true)
    const own = rest.get(manager)?.set ?? FieldSet.empty
    const set = this.#filter(own.difference(comparison.removed).union(comparison.changed))
    if (set.isEmpty) rest.delete(manager)
    else rest.set(manager, { set, apiVersion, applied: false })
    return rest
  }

  /**
   * Applies a configuration. Answers the new value, or `undefined` when nothing changed. Throws
   * {@link ConflictsError}, unless forced, and TypedErrors.
   */
  apply(
    live: Versioned,
    config: Versioned,
    managers: ManagedSets,
    manager: string,
    force: boolean,
  ): { value: unknown; managers: ManagedSets } {
    const { apiVersion, atom } = config
    const known = this.#reconcile(live, managers)
    const last = known.get(manager)
    const applied = this.#filter(toFieldSet(config.value, atom))
    const set = last === undefined ? applied : applied.reusing(last.set)
    known.set(manager, { set, apiVersion, applied: true })
    let object: Versioned = { value: mergeTyped(live.value, config.value, atom), apiVersion, atom }
    // Nothing is dropped by one who still applies all they applied before.
    if (last !== undefined && !(last.apiVersion === apiVersion && last.set.difference(set).isEmpty)) {
      object = this.#prune(object, known, last.set, last.apiVersion)
    }
    const { managers: rest } = this.#takeFrom(live, object, known, manager, force)
    return { value: equalValues(live.value, object.value) ? undefined : object.value, managers: rest }
  }

  #takeFrom(
    before: Versioned,
    after: Versioned,
    managers: ManagedSets,
    workflow: string,
    force: boolean,
  ): { managers: ManagedSets; comparison: Comparison } {
    const comparison = this.#compare(before, after)
    const byVersion = new Map<string, Comparison | undefined>([[after.apiVersion, comparison]])
    const rest: ManagedSets = new Map()
    const conflicts = new Map<string, FieldSet>()
    for (const [manager, owned] of managers) {
      if (manager === workflow) {
        if (!owned.set.isEmpty) rest.set(manager, owned)
        continue
      }
      const { apiVersion } = owned
      if (!byVersion.has(apiVersion)) {
        const old = this.#converted('old', before, apiVersion)
        const now = old && this.#converted('new', after, apiVersion)
        byVersion.set(apiVersion, old && now && this.#compare(old, now))
      }
      const difference = byVersion.get(apiVersion)
      // A version that is no more takes what was owned in it along.
      if (difference === undefined) continue
      const lost = owned.set.intersection(difference.changed)
      if (!lost.isEmpty) conflicts.set(manager, lost)
      const set = owned.set.difference(lost).difference(difference.removed)
      if (!set.isEmpty) rest.set(manager, set === owned.set ? owned : { ...owned, set })
    }
    if (!force && conflicts.size > 0) throw ConflictsError.of(conflicts)
    return { managers: rest, comparison }
  }

  /** Throws {@link TypedErrors} for an object with fields that the other version does not know. */
  #converted(which: 'old' | 'new', object: Versioned, apiVersion: string): Versioned | undefined {
    try {
      return this.#convert(object, apiVersion)
    } catch (error) {
      if (!(error instanceof TypedErrors)) throw error
      throw new TypedErrors([`failed to convert ${which} object: ${error.message}`])
    }
  }

  #compare(before: Versioned, after: Versioned): Comparison {
    const { changed, removed } = compareTyped(before.value, after.value, after.atom)
    return { changed: this.#filter(changed), removed: this.#filter(removed) }
  }

  /** Takes away what the manager applied last time and nobody wants any more. */
  #prune(merged: Versioned, managers: ManagedSets, last: FieldSet, version: string): Versioned {
    if (last.isEmpty) return merged
    const converted = this.#convert(merged, version)
    if (converted === undefined) return merged
    const { atom } = converted
    const ensured = ensureNamedFieldsAreMembers(last, atom)
    let pruned: Versioned = { ...converted, value: removeItems(converted.value, ensured, atom) }
    pruned = this.#addBackOwnedItems(converted, pruned, version, managers)
    // What was not applied last time stays, whoever put it there.
    const back = this.#convert(pruned, version)
    if (back === undefined) return merged
    const kept = ensureNamedFieldsAreMembers(toFieldSet(back.value, atom), atom)
    const all = ensureNamedFieldsAreMembers(toFieldSet(converted.value, atom), atom)
    const value = removeItems(converted.value, all.difference(kept).intersection(ensured), atom)
    return this.#convert({ ...converted, value }, merged.apiVersion) ?? merged
  }

  #addBackOwnedItems(merged: Versioned, pruned: Versioned, prunedVersion: string, managers: ManagedSets): Versioned {
    const byVersion = new Map<string, FieldSet>()
    for (const { set, apiVersion } of managers.values()) {
      byVersion.set(apiVersion, (byVersion.get(apiVersion) ?? FieldSet.empty).union(set))
    }
    // The pruned version first, as others may need what it has to be converted.
    const versions = [...byVersion.keys()].sort((a, b) => Number(b === prunedVersion) - Number(a === prunedVersion))
    let whole = merged
    let part = pruned
    for (const version of versions) {
      const wholeThere = this.#convert(whole, version)
      if (wholeThere === undefined) continue
      whole = wholeThere
      const partThere = this.#convert(part, version)
      if (partThere === undefined) continue
      const { atom } = whole
      const ensure = (set: FieldSet): FieldSet => ensureNamedFieldsAreMembers(set, atom)
      const kept = ensure(toFieldSet(partThere.value, atom)).union(ensure(byVersion.get(version)!))
      const gone = ensure(toFieldSet(whole.value, atom)).difference(kept)
      part = { ...whole, value: removeItems(whole.value, gone, atom) }
    }
    return part
  }

  #reconcile(live: Versioned, managers: ManagedSets): ManagedSets {
    const out: ManagedSets = new Map()
    for (const [manager, owned] of managers) {
      const { atom } = this.#convert(live, owned.apiVersion) ?? {}
      if (atom === undefined) continue
      const set = reconcileWithSchema(owned.set, atom)
      out.set(manager, set === owned.set ? owned : { ...owned, set })
    }
    return out
  }
}

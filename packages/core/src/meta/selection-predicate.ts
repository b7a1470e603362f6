import { FieldSelector, type FieldSet } from './field-selector.ts'
import { LabelSelector, type LabelSet } from './label-selector.ts'
import type { KubeObject } from './types.ts'

/** What of an object selectors look at. */
export interface ObjectAttributes {
  readonly labels: LabelSet | undefined
  readonly fields: FieldSet
}

/** Reads an object's attributes (`pkg/storage: AttrFunc`). Throws when it cannot. */
export type GetAttributes<T extends KubeObject = KubeObject> = (object: T) => ObjectAttributes

/** Attributes of a cluster-scoped object that has no selectable fields of its own. */
export function defaultClusterScopedAttributes(object: KubeObject): ObjectAttributes {
  const { labels, name = '' } = object.metadata
  return { labels, fields: { 'metadata.name': name } }
}

/** Attributes of a namespaced object that has no selectable fields of its own. */
export function defaultNamespaceScopedAttributes(object: KubeObject): ObjectAttributes {
  const { labels, name = '', namespace = '' } = object.metadata
  return { labels, fields: { 'metadata.name': name, 'metadata.namespace': namespace } }
}

/** An index that can answer a predicate, and the value to look up in it. */
export interface MatchValue {
  readonly indexName: string
  readonly value: string
}

/** Name of the index over a label. */
export function labelIndex(label: string): string {
  return `l:${label}`
}

/** Name of the index over a field. */
export function fieldIndex(field: string): string {
  return `f:${field}`
}

/** The parts of a {@link SelectionPredicate}; what is left out selects everything, without a limit. */
export interface SelectionPredicateOptions {
  readonly label?: LabelSelector
  readonly field?: FieldSelector
  readonly getAttributes?: GetAttributes
  readonly indexLabels?: readonly string[]
  readonly indexFields?: readonly string[]
  /** 0 or less: none. */
  readonly limit?: number
  /** Continue token. */
  readonly continue?: string
  readonly allowWatchBookmarks?: boolean
}

/** Which objects are wanted, and how many at once (`pkg/storage/selection_predicate.go: SelectionPredicate`). */
export class SelectionPredicate {
  readonly label: LabelSelector
  readonly field: FieldSelector
  readonly getAttributes: GetAttributes
  readonly indexLabels: readonly string[]
  readonly indexFields: readonly string[]
  readonly limit: number
  readonly continue: string
  readonly allowWatchBookmarks: boolean
  /** It selects everything: no attributes need to be read. */
  readonly empty: boolean

  constructor(options: SelectionPredicateOptions = {}) {
    this.label = options.label ?? LabelSelector.everything
    this.field = options.field ?? FieldSelector.everything
    this.getAttributes = options.getAttributes ?? defaultNamespaceScopedAttributes
    this.indexLabels = options.indexLabels ?? []
    this.indexFields = options.indexFields ?? []
    this.limit = options.limit ?? 0
    this.continue = options.continue ?? ''
    this.allowWatchBookmarks = options.allowWatchBookmarks ?? false
    this.empty = this.label.empty && this.field.empty
  }

  static readonly everything: SelectionPredicate = new SelectionPredicate()

  /** The same predicate with some parts changed. */
  with(changes: SelectionPredicateOptions): SelectionPredicate {
    return new SelectionPredicate({ ...this, ...changes })
  }

  matches(object: KubeObject): boolean {
    if (this.empty) return true
    const { labels, fields } = this.getAttributes(object)
    return this.matchesAttributes(labels, fields)
  }

  /** The same for an object whose attributes are known already. */
  matchesAttributes(labels: LabelSet | undefined, fields: FieldSet): boolean {
    return this.empty || (this.label.matches(labels) && this.field.matches(fields))
  }

  /** The one name that can match; `undefined` when there is none, and for a list that goes on. */
  matchesSingle(): string | undefined {
    return this.continue === '' ? this.field.requiresExactMatch('metadata.name') : undefined
  }

  /** The one namespace that can match; `undefined` when there is none, and for a list that goes on. */
  matchesSingleNamespace(): string | undefined {
    return this.continue === '' ? this.field.requiresExactMatch('metadata.namespace') : undefined
  }

  /**
   * The indexes that hold all that can match.
   * @param namespace the request's namespace, `''` when it is for all of them
   */
  matcherIndex(namespace: string = ''): MatchValue[] {
    const result: MatchValue[] = []
    for (const field of this.indexFields) {
      const value = this.field.requiresExactMatch(field)
      if (value !== undefined) result.push({ indexName: fieldIndex(field), value })
      else if (field === 'metadata.namespace' && namespace !== '') {
        result.push({ indexName: fieldIndex(field), value: namespace })
      }
    }
    for (const label of this.indexLabels) {
      const value = this.label.requiresExactMatch(label)
      if (value !== undefined) result.push({ indexName: labelIndex(label), value })
    }
    return result
  }
}

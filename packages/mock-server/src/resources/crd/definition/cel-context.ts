import type { FieldPath } from '../field-errors.ts'
import { escapeIdent } from '../cel/escaping.ts'
import { schemaDeclType, type DeclType } from '../cel/decl-type.ts'
import { additionalSchema, propertySchema, type JsonSchemaProps } from '../types.ts'

/** Largest estimated cost of one rule, and of all rules of a definition. */
export const staticEstimatedCostLimit = 10_000_000n
export const staticEstimatedCRDCostLimit = 100_000_000n

/** `math.MaxUint64`, where costs saturate. */
export const maxUint64: bigint = (1n << 64n) - 1n

export function multiplyCapped(a: bigint, b: bigint): bigint {
  const product = a * b
  return product > maxUint64 ? maxUint64 : product
}

/** What rules cost together, and the four most expensive of them. */
export class TotalCost {
  total = 0n
  mostExpensive: { readonly path: FieldPath; readonly cost: bigint }[] = []

  observe(path: FieldPath, cost: bigint): void {
    this.total = this.total + cost > maxUint64 ? maxUint64 : this.total + cost
    if (cost < staticEstimatedCRDCostLimit / 100n) return
    this.mostExpensive.push({ path, cost })
    this.mostExpensive.sort((a, b) => (a.cost > b.cost ? -1 : a.cost < b.cost ? 1 : 0))
    this.mostExpensive.length = Math.min(4, this.mostExpensive.length)
  }
}

export interface TypeInfo {
  readonly schema: JsonSchemaProps
  readonly declType: DeclType
}

/**
 * Follows the walk over a schema and knows, for each node, its CEL type and how often its rules may run
 * (`apis/apiextensions/validation: CELSchemaContext`).
 */
export class CelContext {
  readonly schema: JsonSchemaProps | undefined
  /** How many values there can be for this node; `undefined` for without bound. */
  readonly maxCardinality: bigint | undefined
  readonly totalCost: TotalCost
  readonly #parent: CelContext | undefined
  readonly #fromParent: (parent: TypeInfo) => TypeInfo | undefined
  readonly #inScope: boolean
  #typeInfo: TypeInfo | undefined
  #resolved = false

  private constructor(
    schema: JsonSchemaProps | undefined,
    parent: CelContext | undefined,
    maxCardinality: bigint | undefined,
    fromParent: (parent: TypeInfo) => TypeInfo | undefined,
  ) {
    this.schema = schema
    this.#parent = parent
    this.maxCardinality = maxCardinality
    this.totalCost = parent?.totalCost ?? new TotalCost()
    this.#fromParent = fromParent
    this.#inScope = (parent !== undefined && parent.#inScope) || (schema?.['x-kubernetes-validations'] ?? []).length > 0
  }

  static root(schema: JsonSchemaProps): CelContext {
    return new CelContext(schema, undefined, 1n, () => undefined)
  }

  property(schema: JsonSchemaProps, name: string): CelContext {
    return this.#child(schema, (parent) => {
      const own = propertySchema(parent.schema, name)
      const escaped = escapeIdent(name)
      const field = escaped === undefined ? undefined : parent.declType.fields?.get(escaped)
      return own === undefined || field === undefined ? undefined : { schema: own, declType: field.type }
    })
  }

  additionalProperties(schema: JsonSchemaProps | undefined): CelContext {
    return this.#child(schema, (parent) => {
      const own = additionalSchema(parent.schema)
      const declType = parent.declType.elemType
      return own === undefined || declType === undefined ? undefined : { schema: own, declType }
    })
  }

  items(schema: JsonSchemaProps | undefined): CelContext {
    return this.#child(schema, (parent) => {
      const own = parent.schema.items
      const declType = parent.declType.elemType
      return own === undefined || declType === undefined ? undefined : { schema: own, declType }
    })
  }

  #child(schema: JsonSchemaProps | undefined, fromParent: (parent: TypeInfo) => TypeInfo | undefined): CelContext {
    const factor = this.schema === undefined ? undefined : maxElements(this.schema)
    const cardinality =
      this.maxCardinality === undefined || factor === undefined
        ? undefined
        : multiplyCapped(this.maxCardinality, factor)
    return new CelContext(schema, this, cardinality, fromParent)
  }

  /** The node's type; `undefined` where CEL cannot see it. */
  typeInfo(): TypeInfo | undefined {
    if (!this.#inScope || this.schema === undefined) return undefined
    if (!this.#resolved) {
      this.#resolved = true
      const parent = this.#parent?.typeInfo()
      this.#typeInfo = parent === undefined ? undefined : this.#fromParent(parent)
      if (this.#typeInfo === undefined) {
        const isRoot = this.#parent === undefined || this.schema['x-kubernetes-embedded-resource'] === true
        const declType = schemaDeclType(this.schema, isRoot)
        if (declType !== undefined) this.#typeInfo = { schema: this.schema, declType }
      }
    }
    return this.#typeInfo
  }
}

/** By how much a node multiplies the number of values below it. */
function maxElements(schema: JsonSchemaProps): bigint | undefined {
  const atLeastZero = (n: number | undefined): bigint | undefined =>
    n === undefined ? undefined : BigInt(Math.max(0, Math.trunc(n)))
  if (schema.type === 'object') {
    return schema.additionalProperties === undefined ? 1n : atLeastZero(schema.maxProperties)
  }
  return schema.type === 'array' ? atLeastZero(schema.maxItems) : 1n
}

/** JSON types of a schema; absent for "anything". */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/**
 * One resolved node of an OpenAPI v3 schema, built-in or from a CustomResourceDefinition: what decoding,
 * defaulting, patching, server-side apply and validation all walk. References are resolved on access, so
 * recursive schemas are fine.
 */
export interface SchemaNode {
  readonly type: SchemaType | undefined
  readonly format: string | undefined
  readonly properties: ReadonlyMap<string, SchemaNode>
  readonly additionalProperties: SchemaNode | undefined
  readonly items: SchemaNode | undefined
  readonly required: readonly string[]
  readonly enum: readonly unknown[] | undefined
  readonly default: unknown
  readonly nullable: boolean
  /** `x-kubernetes-patch-strategy`, split: `merge`, `replace`, `retainKeys`. */
  readonly patchStrategy: readonly string[]
  readonly patchMergeKey: string | undefined
  readonly listType: 'atomic' | 'set' | 'map' | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: 'atomic' | 'granular' | undefined
  readonly preserveUnknownFields: boolean
  readonly intOrString: boolean
  readonly embeddedResource: boolean
  /** Name of the component it was resolved from: `io.k8s.api.core.v1.PodSpec`. */
  readonly ref: string | undefined
  /** The schema as written, for keywords not listed here. */
  readonly raw: RawSchema
}

/** A schema as JSON has it. */
export interface RawSchema {
  readonly $ref?: string
  readonly allOf?: readonly RawSchema[]
  readonly anyOf?: readonly RawSchema[]
  readonly oneOf?: readonly RawSchema[]
  readonly type?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, RawSchema>>
  readonly additionalProperties?: RawSchema | boolean
  readonly items?: RawSchema
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly nullable?: boolean
  readonly [keyword: string]: unknown
}

const empty: ReadonlyMap<string, SchemaNode> = new Map()
const nodes = new WeakMap<RawSchema, SchemaNode>()

/** Resolves `raw`, with references looked up in `components`. Nodes are made once per raw schema and shared. */
export function resolveSchema(raw: RawSchema, components: Readonly<Record<string, RawSchema>> = {}): SchemaNode {
  let node = nodes.get(raw)
  if (node === undefined) {
    node = new Node(raw, components)
    nodes.set(raw, node)
  }
  return node
}

class Node implements SchemaNode {
  readonly raw: RawSchema
  readonly ref: string | undefined
  readonly #components: Readonly<Record<string, RawSchema>>
  readonly #target: RawSchema
  #properties: ReadonlyMap<string, SchemaNode> | undefined
  #items: SchemaNode | undefined
  #additional: SchemaNode | undefined

  constructor(raw: RawSchema, components: Readonly<Record<string, RawSchema>>) {
    this.raw = raw
    this.#components = components
    const reference = raw.$ref ?? (raw.allOf?.length === 1 ? raw.allOf[0]!.$ref : undefined)
    this.ref = reference?.slice(reference.lastIndexOf('/') + 1)
    this.#target = (this.ref === undefined ? undefined : components[this.ref]) ?? raw
  }

  /** What the place says wins over what the referenced component says. */
  #get(keyword: string): unknown {
    return this.raw[keyword] ?? this.#target[keyword]
  }

  get type(): SchemaType | undefined {
    return this.#get('type') as SchemaType | undefined
  }

  get format(): string | undefined {
    return this.#get('format') as string | undefined
  }

  get properties(): ReadonlyMap<string, SchemaNode> {
    if (this.#properties === undefined) {
      const raw = this.#get('properties') as Record<string, RawSchema> | undefined
      this.#properties = raw
        ? new Map(Object.entries(raw).map(([name, schema]) => [name, resolveSchema(schema, this.#components)]))
        : empty
    }
    return this.#properties
  }

  get additionalProperties(): SchemaNode | undefined {
    const raw = this.#get('additionalProperties')
    if (raw === undefined || raw === false) return undefined
    return (this.#additional ??= resolveSchema(raw === true ? {} : (raw as RawSchema), this.#components))
  }

  get items(): SchemaNode | undefined {
    const raw = this.#get('items') as RawSchema | undefined
    return raw === undefined ? undefined : (this.#items ??= resolveSchema(raw, this.#components))
  }

  get required(): readonly string[] {
    return (this.#get('required') as string[] | undefined) ?? []
  }

  get enum(): readonly unknown[] | undefined {
    return this.#get('enum') as unknown[] | undefined
  }

  get default(): unknown {
    return this.#get('default')
  }

  get nullable(): boolean {
    return this.#get('nullable') === true
  }

  get patchStrategy(): readonly string[] {
    return ((this.#get('x-kubernetes-patch-strategy') as string | undefined) ?? '').split(',').filter(Boolean)
  }

  get patchMergeKey(): string | undefined {
    return this.#get('x-kubernetes-patch-merge-key') as string | undefined
  }

  get listType(): 'atomic' | 'set' | 'map' | undefined {
    return this.#get('x-kubernetes-list-type') as 'atomic' | 'set' | 'map' | undefined
  }

  get listMapKeys(): readonly string[] {
    return (this.#get('x-kubernetes-list-map-keys') as string[] | undefined) ?? []
  }

  get mapType(): 'atomic' | 'granular' | undefined {
    return this.#get('x-kubernetes-map-type') as 'atomic' | 'granular' | undefined
  }

  get preserveUnknownFields(): boolean {
    return this.#get('x-kubernetes-preserve-unknown-fields') === true
  }

  get intOrString(): boolean {
    return this.#get('x-kubernetes-int-or-string') === true || this.format === 'int-or-string'
  }

  get embeddedResource(): boolean {
    return this.#get('x-kubernetes-embedded-resource') === true
  }
}

import { plainError } from '../plain-error.ts'
import type { SchemaNode } from '../../resources/schema.ts'

/** How a field is patched: what its values are, whether its list is merged, and by which key. */
export interface PatchMeta {
  readonly schema: SchemaNode
  /** `merge`, `replace` or `''`. */
  readonly strategy: string
  /** `''` for lists of scalars. */
  readonly mergeKey: string
}

/** Looks a field of a struct up (`LookupPatchMetadataForStruct`). Throws for fields that the struct does not have. */
export function lookupStruct(schema: SchemaNode, field: string): PatchMeta {
  const { properties } = schema
  if (properties.size === 0) {
    const kind = schema.type === 'array' ? 'slice' : schema.additionalProperties !== undefined ? 'map' : 'struct'
    if (kind !== 'struct') {
      throw plainError(`merging an object in json but data type is not struct, instead is: ${kind}`)
    }
  }
  const found = properties.get(field)
  if (found === undefined) {
    const name = schema.ref?.slice(schema.ref.lastIndexOf('.') + 1) ?? ''
    throw plainError(`unable to find api field in struct ${name} for the json field ${JSON.stringify(field)}`)
  }
  const strategy = found.patchStrategy.find((one) => one !== 'retainKeys') ?? ''
  return { schema: found, strategy, mergeKey: found.patchMergeKey ?? '' }
}

/** Looks a list of a struct up; the schema is that of its items (`LookupPatchMetadataForSlice`). */
export function lookupSlice(schema: SchemaNode, field: string): PatchMeta {
  const meta = lookupStruct(schema, field)
  const { items } = meta.schema
  if (items === undefined) throw plainError('expected slice or array type, but got: struct')
  return { ...meta, schema: items }
}

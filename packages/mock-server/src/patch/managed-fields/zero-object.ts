import { decodeObject } from '../../resources/decode/decode-object.ts'
import type { SchemaNode } from '../../resources/schema.ts'

const zeros = new WeakMap<SchemaNode, Readonly<Record<string, unknown>>>()

/**
 * What an empty object of a built-in kind has in it: the structs and the other fields that Go always writes.
 * A create is compared with it, which is why nobody owns the `spec` of a Deployment itself, but whoever creates
 * a ConfigMap owns its `data`.
 */
export function zeroObject(schema: SchemaNode): Readonly<Record<string, unknown>> {
  let zero = zeros.get(schema)
  if (zero === undefined) {
    zero = decodeObject({}, schema, { mode: 'Ignore' }).object
    zeros.set(schema, zero)
  }
  return zero
}

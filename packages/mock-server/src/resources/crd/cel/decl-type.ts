import { additionalSchema, type JsonSchemaProps } from '../types.ts'
import { escapeIdent } from './escaping.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
  type CelType,
} from './types.ts'

/** The longest request body that costs are estimated for. */
export const maxRequestSizeBytes: number = 3 * 1024 * 1024

/** A schema node as CEL sees it (`apiserver: pkg/cel: DeclType`), with the bounds that costs are estimated from. */
export interface DeclType {
  readonly celType: CelType
  readonly fields: ReadonlyMap<string, DeclField> | undefined
  readonly keyType: DeclType | undefined
  readonly elemType: DeclType | undefined
  /** Most elements, entries or bytes a value can have. */
  readonly maxElements: number
  /** Fewest bytes a value takes as JSON. */
  readonly minSerializedSize: number
}

interface DeclField {
  readonly type: DeclType
  readonly required: boolean
}

function simple(celType: CelType, minSerializedSize: number, maxElements = 0): DeclType {
  return { celType, fields: undefined, keyType: undefined, elemType: undefined, maxElements, minSerializedSize }
}

const stringDecl = simple(stringType, 2)

const durationSize = 32
const dateSize = 12
const datetimeSize = 32
const nameMaxLength = 253

/** The type of a schema node; `undefined` where rules cannot see it (`pkg/cel/common: SchemaDeclType`). */
export function schemaDeclType(given: JsonSchemaProps, isResourceRoot: boolean): DeclType | undefined {
  if (given['x-kubernetes-int-or-string'] === true) {
    return simple(dynType, 1, given.maxLength === undefined ? maxRequestSizeBytes - 2 : bytesOf(given.maxLength))
  }
  const schema = isResourceRoot ? withTypeAndObjectMeta(given) : given
  switch (schema.type) {
    case 'array': {
      if (schema.items === undefined) return undefined
      const elemType = schemaDeclType(schema.items, schema.items['x-kubernetes-embedded-resource'] === true)
      if (elemType === undefined) return undefined
      const maxItems =
        schema.maxItems === undefined
          ? Math.trunc((maxRequestSizeBytes - 2) / (elemType.minSerializedSize + 1))
          : Math.max(0, schema.maxItems)
      return {
        celType: listType(elemType.celType),
        fields: undefined,
        keyType: undefined,
        elemType,
        maxElements: maxItems,
        minSerializedSize: 2,
      }
    }
    case 'object':
      return objectDeclType(schema)
    case 'string':
      return stringDeclType(schema)
    case 'boolean':
      return simple(boolType, 4)
    case 'number':
      return simple(doubleType, 1)
    case 'integer':
      return simple(intType, 1)
    default:
      return undefined
  }
}

function bytesOf(maxLength: number): number {
  return Math.max(0, maxLength) * 4
}

function objectDeclType(schema: JsonSchemaProps): DeclType | undefined {
  const additional = additionalSchema(schema)
  if (additional !== undefined) {
    const elemType = schemaDeclType(additional, additional['x-kubernetes-embedded-resource'] === true)
    if (elemType === undefined) return undefined
    const maxProperties =
      schema.maxProperties === undefined
        ? Math.trunc((maxRequestSizeBytes - 2) / (elemType.minSerializedSize + 6))
        : Math.max(0, schema.maxProperties)
    return {
      celType: mapType(stringType, elemType.celType),
      fields: undefined,
      keyType: stringDecl,
      elemType,
      maxElements: maxProperties,
      minSerializedSize: 2,
    }
  }
  const fields = new Map<string, DeclField>()
  const required = new Set(schema.required ?? [])
  let minSerializedSize = 2
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = schemaDeclType(property, property['x-kubernetes-embedded-resource'] === true)
    if (type === undefined) continue
    const escaped = escapeIdent(name)
    if (escaped !== undefined) fields.set(escaped, { type, required: required.has(name) })
    if (required.has(name) && (property.default ?? null) === null)
      minSerializedSize += name.length + type.minSerializedSize + 4
  }
  return {
    celType: structType('object'),
    fields,
    keyType: undefined,
    elemType: undefined,
    maxElements: 0,
    minSerializedSize,
  }
}

function stringDeclType(schema: JsonSchemaProps): DeclType {
  switch (schema.format) {
    case 'byte':
      return simple(
        bytesType,
        2,
        schema.maxLength === undefined ? maxRequestSizeBytes - 2 : Math.max(0, schema.maxLength),
      )
    case 'duration':
      return simple(durationType, 3, durationSize)
    case 'date':
      return simple(timestampType, dateSize, dateSize)
    case 'date-time':
      return simple(timestampType, 21, datetimeSize)
    default:
  }
  if (schema.maxLength !== undefined) return simple(stringType, 2, bytesOf(schema.maxLength))
  if (schema.enum !== undefined && schema.enum.length > 0) {
    const lengths = schema.enum.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0))
    return simple(stringType, 2, Math.max(...lengths))
  }
  return simple(stringType, 2, maxRequestSizeBytes - 2)
}

const withMeta = new WeakMap<JsonSchemaProps, JsonSchemaProps>()

/** `kind`, `apiVersion` and the names in `metadata` can be seen in every resource, specified or not. */
export function withTypeAndObjectMeta(schema: JsonSchemaProps): JsonSchemaProps {
  let result = withMeta.get(schema)
  if (result === undefined) {
    const metadata = schema.properties?.['metadata']?.properties ?? {}
    const capped = (own: JsonSchemaProps | undefined, max: number): JsonSchemaProps => ({
      type: 'string',
      maxLength: Math.min(max, own?.maxLength ?? max),
    })
    const complete =
      schema.properties?.['kind']?.type === 'string' &&
      schema.properties['apiVersion']?.type === 'string' &&
      schema.properties['metadata']?.type === 'object' &&
      metadata['name']?.type === 'string' &&
      metadata['generateName']?.type === 'string'
    result = complete
      ? schema
      : {
          ...schema,
          properties: {
            ...schema.properties,
            kind: { type: 'string' },
            apiVersion: { type: 'string' },
            metadata: {
              type: 'object',
              properties: {
                name: capped(metadata['name'], nameMaxLength),
                generateName: capped(metadata['generateName'], nameMaxLength - 1),
              },
            },
          },
        }
    withMeta.set(schema, result)
  }
  return result
}

/** Names the object types of a tree after their place, so that the checker can tell them apart (`MaybeAssignTypeName`). */
export function assignTypeNames(decl: DeclType, name: string): DeclType {
  if (decl.fields !== undefined) {
    const fields = new Map<string, DeclField>()
    for (const [field, { type, required }] of decl.fields) {
      fields.set(field, { type: assignTypeNames(type, `${name}.${field}`), required })
    }
    return { ...decl, celType: structType(name), fields }
  }
  if (decl.elemType === undefined) return decl
  const elemType = assignTypeNames(decl.elemType, `${name}.${decl.keyType === undefined ? '@idx' : '@elem'}`)
  const celType = decl.keyType === undefined ? listType(elemType.celType) : mapType(stringType, elemType.celType)
  return { ...decl, celType, elemType }
}

/** The object types of a tree by their names. */
export function structTypes(decl: DeclType): ReadonlyMap<string, DeclType> {
  const found = new Map<string, DeclType>()
  const visit = (node: DeclType): void => {
    if (node.fields !== undefined) {
      found.set(node.celType.name, node)
      for (const field of node.fields.values()) visit(field.type)
    }
    if (node.elemType !== undefined) visit(node.elemType)
  }
  visit(decl)
  return found
}

import { contentHash } from './content-hash.ts'
import type { Json } from './json.ts'
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts'
import type { OpenApiV3 } from './openapi-v3.ts'

const V3_PREFIX = '#/components/schemas/'
const V2_PREFIX = '#/definitions/'
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** Schema keywords that OpenAPI v2 has too; upstream leaves defaults and nullable out of it. */
const KEPT = new Set([
  'type',
  'format',
  'description',
  'required',
  'enum',
  'uniqueItems',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
])

/** Turns a v3 schema into one that v2 can say. */
export function schemaToV2(schema: Json): Json {
  const out: Record<string, unknown> = {}
  const reference = schema['$ref'] ?? (schema['allOf'] as readonly Json[] | undefined)?.[0]?.['$ref']
  if (typeof reference === 'string') out['$ref'] = reference.replace(V3_PREFIX, V2_PREFIX)
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith('x-') || KEPT.has(keyword)) out[keyword] = value
    else if (keyword === 'properties') {
      out[keyword] = Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, property]) => [name, schemaToV2(property)]),
      )
    } else if (keyword === 'items' || (keyword === 'additionalProperties' && typeof value === 'object')) {
      out[keyword] = schemaToV2(value as Json)
    } else if (keyword === 'oneOf' || keyword === 'anyOf') {
      // Quantities and int-or-strings are strings with or without a format there.
      if (schema['type'] === undefined && reference === undefined) out['type'] = 'string'
    }
  }
  return out
}

function parameterToV2(parameter: Json): Json {
  const { schema, ...rest } = parameter
  return { ...(schema as Json), ...rest }
}

function firstSchema(content: unknown): Json | undefined {
  const [media] = Object.values((content ?? {}) as Record<string, { readonly schema?: Json }>)
  return media?.schema
}

function operationToV2(operation: Json): Json {
  const { requestBody, responses, parameters = [], ...rest } = operation
  const body = requestBody as Json | undefined
  const bodySchema = firstSchema(body?.['content'])
  const answers = Object.entries(responses as Record<string, Json>)
  const [, ok] = answers[0] ?? []
  const all = (parameters as readonly Json[]).map(parameterToV2)
  if (bodySchema) {
    const required = body?.['required'] === true ? { required: true } : {}
    all.unshift({ name: 'body', in: 'body', ...required, schema: schemaToV2(bodySchema) })
  }
  return {
    consumes: Object.keys((body?.['content'] as Json | undefined) ?? { '*/*': {} }),
    produces: Object.keys((ok?.['content'] as Json | undefined) ?? {}),
    schemes: ['https'],
    ...rest,
    ...(all.length > 0 && { parameters: all }),
    responses: Object.fromEntries(
      answers.map(([code, answer]) => {
        const schema = firstSchema(answer['content'])
        return [code, { description: answer['description'], ...(schema && { schema: schemaToV2(schema) }) }]
      }),
    ),
  }
}

function pathToV2(path: Json): Json {
  const { parameters = [], ...operations } = path
  return {
    ...Object.fromEntries(
      METHODS.filter((method) => method in operations).map((method) => [
        method,
        operationToV2(operations[method] as Json),
      ]),
    ),
    ...((parameters as readonly Json[]).length > 0 && {
      parameters: (parameters as readonly Json[]).map(parameterToV2),
    }),
  }
}

interface Made {
  readonly generation: number
  readonly document: Json
  text?: string
  bytes?: Uint8Array
}

/**
 * The one OpenAPI v2 document of everything that is served, made from the v3 documents when first asked for
 * and kept until they change.
 */
export class OpenApiV2 {
  readonly #v3: OpenApiV3
  #made: Made | undefined

  constructor(v3: OpenApiV3) {
    this.#v3 = v3
  }

  #current(): Made {
    const generation = this.#v3.generation()
    if (this.#made?.generation !== generation) this.#made = { generation, document: this.#make() }
    return this.#made
  }

  #make(): Json {
    const paths: Record<string, Json> = {}
    const definitions: Record<string, Json> = {}
    for (const name of this.#v3.names()) {
      const document = this.#v3.document(name)
      if (!document) continue
      const { paths: ownPaths, components } = JSON.parse(document.text) as {
        readonly paths: Record<string, Json>
        readonly components: { readonly schemas: Record<string, Json> }
      }
      for (const [path, item] of Object.entries(ownPaths)) paths[path] = pathToV2(item)
      for (const [component, schema] of Object.entries(components.schemas))
        definitions[component] ??= schemaToV2(schema)
    }
    return {
      swagger: '2.0',
      info: { title: 'Kubernetes', version: '1.37' },
      paths: sortKeys(paths),
      definitions: sortKeys(definitions),
      securityDefinitions: {
        BearerToken: {
          description: 'Bearer Token authentication',
          type: 'apiKey',
          name: 'authorization',
          in: 'header',
        },
      },
      security: [{ BearerToken: [] }],
    }
  }

  /** The document as JSON. */
  json(): { readonly text: string; readonly hash: string } {
    const made = this.#current()
    const text = (made.text ??= JSON.stringify(made.document))
    return { text, hash: contentHash(text) }
  }

  /** The document as kubectl reads it (`gnostic: openapi.v2.Document`). */
  protobuf(): { readonly bytes: Uint8Array; readonly hash: string } {
    const made = this.#current()
    const bytes = (made.bytes ??= encodeOpenApiV2(made.document))
    return { bytes, hash: this.json().hash }
  }
}

function sortKeys<T>(object: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}

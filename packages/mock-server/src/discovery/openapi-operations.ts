import { MEDIA_TYPES, STREAM_MEDIA_TYPES } from '../api/negotiation.ts'
import { CONNECT_METHODS, CUSTOM_PATCH_TYPES, PATCH_TYPES } from '../api/routing.ts'
import { ANSWERS_DELETED } from '../resources/answers-deleted.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'
import type { Json } from './json.ts'

/** A group, version and kind as OpenAPI extensions tell them. */
export interface Gvk {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Names the component schema of a kind; `undefined` when there is none. */
export type SchemaName = (gvk: Gvk) => string | undefined

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

interface Parameter extends Json {
  readonly name: string
}

const query = (name: string, type: string): Parameter => ({ name, in: 'query', schema: { type, uniqueItems: true } })
const inPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})

const PRETTY = query('pretty', 'string')
const WRITE = [query('dryRun', 'string'), query('fieldManager', 'string'), query('fieldValidation', 'string')]
const PATCH = [...WRITE, query('force', 'boolean')]
const DELETE = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
]
const SELECT = [
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('shardSelector', 'string'),
  query('timeoutSeconds', 'integer'),
]
const LIST = [...SELECT, query('allowWatchBookmarks', 'boolean'), query('watch', 'boolean')]

const CODES: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

/** One operation of a path. */
interface Operation {
  readonly action: string
  /** `readAppsV1NamespacedDeployment` */
  readonly id: string
  readonly parameters?: readonly Parameter[]
  readonly body?: {
    readonly schema: string | undefined
    readonly types?: readonly string[]
    readonly optional?: boolean
  }
  readonly answer: string | undefined
  readonly answerTypes?: readonly string[]
  readonly codes: readonly number[]
}

const capital = (text: string): string => (text === '' ? '' : text[0]!.toUpperCase() + text.slice(1))

/** A group as operation ids and tags have it: its first label, or all of them for what is not Kubernetes' own. */
function groupWords(group: string, builtIn: boolean): readonly string[] {
  if (group === '') return ['core']
  return builtIn ? [group.split('.')[0]!] : group.split(/[.-]/)
}

function content(schema: string | undefined, types: readonly string[]): Json {
  if (schema === undefined) return {}
  const media = { schema: schema === 'string' ? { type: 'string' } : { $ref: `#/components/schemas/${schema}` } }
  return { content: Object.fromEntries(types.map((type) => [type, media])) }
}

/**
 * The OpenAPI v3 paths of one resource, with what clients look for in operations: the kind, the action, and
 * the query parameters (`dryRun`, `fieldValidation`, `fieldManager`).
 */
export function resourcePaths(resource: Resource, schemaName: SchemaName): Record<string, Json> {
  const paths = new ResourcePaths(resource, schemaName)
  paths.addObjects()
  for (const subresource of resource.subresources.values()) paths.addSubresource(subresource)
  // Custom resources are watched by the query only.
  if (resource.builtIn && resource.verbs.includes('watch')) paths.addWatches()
  return paths.paths
}

class ResourcePaths {
  readonly paths: Record<string, Json> = {}
  readonly #resource: Resource
  readonly #schemaName: SchemaName
  readonly #base: string
  readonly #collection: string
  readonly #title: string
  readonly #tag: string
  readonly #scope: readonly Parameter[]
  readonly #types: readonly string[]

  constructor(resource: Resource, schemaName: SchemaName) {
    const { group, version, namespaced, builtIn } = resource
    const [first = '', ...more] = groupWords(group, builtIn)
    this.#resource = resource
    this.#schemaName = schemaName
    this.#base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    this.#collection = `${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`
    this.#title = [first, ...more, version].map(capital).join('')
    this.#tag = `${first}${more.map(capital).join('')}_${version}`
    this.#scope = namespaced ? [inPath('namespace')] : []
    this.#types = builtIn ? MEDIA_TYPES : MEDIA_TYPES.slice(0, 2)
  }

  get #own(): Gvk {
    const { group, version, kind } = this.#resource
    return { group, version, kind }
  }

  /** What a body may be: built-in routes leave that to negotiation. */
  get #bodyTypes(): readonly string[] {
    return this.#resource.builtIn ? ['*/*'] : this.#types
  }

  get #streamTypes(): readonly string[] {
    return this.#resource.builtIn ? [...MEDIA_TYPES, ...STREAM_MEDIA_TYPES] : this.#types
  }

  #id(verb: string, suffix = '', scope: string = this.#resource.namespaced ? 'Namespaced' : ''): string {
    return `${verb}${this.#title}${scope}${this.#resource.kind}${suffix}`
  }

  /** Adds a path; parameters that all its operations share are told once. */
  #add(
    path: string,
    shared: readonly Parameter[],
    operations: Readonly<Record<string, Operation | undefined | false>>,
    gvk: Gvk,
  ): void {
    const entries = Object.entries(operations).filter((entry): entry is [string, Operation] => Boolean(entry[1]))
    if (entries.length === 0) return
    const lists = entries.map(([, operation]) => operation.parameters ?? [])
    const common = lists[0]!.filter((p) => lists.every((list) => list.some((other) => other.name === p.name)))
    const write = (operation: Operation): Json => {
      const parameters = (operation.parameters ?? []).filter(
        (p) => !common.includes(p) && !common.some((c) => c.name === p.name),
      )
      const { body, answerTypes = this.#types } = operation
      return {
        tags: [this.#tag],
        operationId: operation.id,
        ...(parameters.length > 0 && { parameters: byName(parameters) }),
        ...(body && {
          requestBody: {
            ...content(body.schema, body.types ?? this.#bodyTypes),
            ...(!body.optional && { required: true }),
          },
        }),
        responses: {
          ...Object.fromEntries(
            operation.codes.map((code) => [
              code,
              { description: CODES[code]!, ...content(operation.answer, answerTypes) },
            ]),
          ),
          401: { description: 'Unauthorized' },
        },
        'x-kubernetes-action': operation.action,
        'x-kubernetes-group-version-kind': gvk,
      }
    }
    this.paths[`${this.#base}${path}`] = {
      ...Object.fromEntries(entries.map(([method, operation]) => [method, write(operation)])),
      ...(shared.length + common.length > 0 && { parameters: byName([...shared, ...common]) }),
    }
  }

  addObjects(): void {
    const { group, version, listKind, verbs, namespaced, builtIn } = this.#resource
    const schema = this.#schemaName(this.#own)
    const list: Omit<Operation, 'id'> = {
      action: 'list',
      parameters: LIST,
      answer: this.#schemaName({ group, version, kind: listKind }),
      answerTypes: this.#streamTypes,
      codes: [200],
    }
    const can = (verb: string, operation: Operation): Operation | false => verbs.includes(verb) && operation
    this.#add(
      this.#collection,
      [...this.#scope, PRETTY],
      {
        get: can('list', { ...list, id: this.#id('list') }),
        post: can('create', {
          action: 'post',
          id: this.#id('create'),
          parameters: WRITE,
          body: { schema },
          answer: schema,
          codes: [200, 201, 202],
        }),
        delete: can('deletecollection', {
          action: 'deletecollection',
          id: `delete${this.#title}Collection${namespaced ? 'Namespaced' : ''}${this.#resource.kind}`,
          parameters: builtIn ? [...DELETE, ...SELECT] : LIST,
          ...(builtIn && { body: { schema: `${META}.DeleteOptions`, optional: true } }),
          answer: `${META}.Status`,
          codes: [200],
        }),
      },
      this.#own,
    )
    const deleted = ANSWERS_DELETED.has(`${group}/${this.#resource.resource}`) ? schema : `${META}.Status`
    this.#add(`${this.#collection}/{name}`, this.#item, this.#itemOperations(verbs, schema, deleted, ''), this.#own)
    if (namespaced && verbs.includes('list')) {
      const all = { ...list, id: this.#id('list', 'ForAllNamespaces', '') }
      this.#add(`/${this.#resource.resource}`, [PRETTY], { get: all }, this.#own)
    }
  }

  get #item(): readonly Parameter[] {
    return [inPath('name'), ...this.#scope, PRETTY]
  }

  #itemOperations(
    verbs: readonly string[],
    schema: string | undefined,
    deleted: string | undefined,
    suffix: string,
  ): Readonly<Record<string, Operation | false>> {
    const types = this.#resource.builtIn ? PATCH_TYPES : CUSTOM_PATCH_TYPES
    const can = (verb: string, operation: Operation): Operation | false => verbs.includes(verb) && operation
    // Custom resources are never made by a PUT or PATCH that says so.
    const stored = this.#resource.builtIn ? [200, 201] : [200]
    return {
      get: can('get', {
        action: 'get',
        id: this.#id('read', suffix),
        ...(!this.#resource.builtIn && { parameters: [query('resourceVersion', 'string')] }),
        answer: schema,
        codes: [200],
      }),
      put: can('update', {
        action: 'put',
        id: this.#id('replace', suffix),
        parameters: WRITE,
        body: { schema },
        answer: schema,
        codes: [200, 201],
      }),
      delete: can('delete', {
        action: 'delete',
        id: this.#id('delete', suffix),
        parameters: DELETE,
        body: { schema: `${META}.DeleteOptions`, optional: true },
        answer: deleted,
        codes: [200, 202],
      }),
      patch: can('patch', {
        action: 'patch',
        id: this.#id('patch', suffix),
        parameters: PATCH,
        body: { schema: `${META}.Patch`, types },
        answer: schema,
        codes: stored,
      }),
    }
  }

  addSubresource(subresource: SubresourceInfo): void {
    const { name, verbs, group, version, kind } = subresource
    const gvk: Gvk = { group, version, kind }
    const path = `${this.#collection}/{name}/${name}`
    const methods = CONNECT_METHODS[name]
    if (methods) {
      this.#addConnect(path, methods, gvk, capital(name))
      return
    }
    const schema = name === 'log' ? 'string' : this.#schemaName(gvk)
    const operations = this.#itemOperations(verbs, schema, `${META}.Status`, capital(name))
    const create: Operation | false = verbs.includes('create') && {
      action: 'post',
      id: this.#id('create', capital(name)),
      parameters: WRITE,
      body: { schema },
      answer: schema,
      codes: [200, 201, 202],
    }
    // The scale of a custom resource goes by the name of its parent.
    const told = this.#resource.builtIn ? gvk : { ...this.#own, version }
    this.#add(path, this.#item, { ...operations, post: create }, told)
  }

  #addConnect(path: string, methods: readonly string[], gvk: Gvk, suffix: string): void {
    const operations = (tail: string): Readonly<Record<string, Operation>> =>
      Object.fromEntries(
        methods.map((method) => {
          const word = capital(method.toLowerCase())
          const scope = this.#resource.namespaced ? 'Namespaced' : ''
          const id = `connect${this.#title}${word}${scope}${this.#resource.kind}${suffix}${tail}`
          return [method.toLowerCase(), { action: 'connect', id, answer: 'string', answerTypes: ['*/*'], codes: [200] }]
        }),
      )
    const shared = [inPath('name'), ...this.#scope]
    this.#add(path, shared, operations(''), gvk)
    if (suffix === 'Proxy') this.#add(`${path}/{path}`, [...shared, inPath('path')], operations('WithPath'), gvk)
  }

  addWatches(): void {
    const { resource, namespaced } = this.#resource
    const parameters = [...LIST, PRETTY]
    const watch = (action: string, id: string): { readonly get: Operation } => ({
      get: { action, id, answer: `${META}.WatchEvent`, answerTypes: this.#streamTypes, codes: [200] },
    })
    const lists = watch('watchlist', this.#id('watch', 'List'))
    this.#add(`/watch${this.#collection}`, [...parameters, ...this.#scope], lists, this.#own)
    const one = watch('watch', this.#id('watch'))
    this.#add(`/watch${this.#collection}/{name}`, [...parameters, inPath('name'), ...this.#scope], one, this.#own)
    if (!namespaced) return
    const all = watch('watchlist', this.#id('watch', 'ListForAllNamespaces', ''))
    this.#add(`/watch/${resource}`, parameters, all, this.#own)
  }
}

function byName(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

import { PATCH_TYPES, CUSTOM_PATCH_TYPES } from '../api/routing.ts'
import { MEDIA_TYPES, STREAM_MEDIA_TYPES } from '../api/negotiation.ts'
import type { Resource, SubresourceInfo } from '../resources/resource.ts'

type Json = Readonly<Record<string, unknown>>

/** A group, version and kind as OpenAPI extensions tell them. */
export interface Gvk {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Names the component schema of a kind; `undefined` when there is none. */
export type SchemaName = (gvk: Gvk) => string | undefined

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

const parameter = (name: string, type: string): Json => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
})
const pathParameter = (name: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})

const PRETTY = parameter('pretty', 'string')
const WRITE = [
  parameter('dryRun', 'string'),
  parameter('fieldManager', 'string'),
  parameter('fieldValidation', 'string'),
]
const PATCH = [...WRITE, parameter('force', 'boolean')]
const DELETE = [
  parameter('dryRun', 'string'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  parameter('orphanDependents', 'boolean'),
  parameter('propagationPolicy', 'string'),
]
const LIST = [
  parameter('allowWatchBookmarks', 'boolean'),
  parameter('continue', 'string'),
  parameter('fieldSelector', 'string'),
  parameter('labelSelector', 'string'),
  parameter('limit', 'integer'),
  parameter('resourceVersion', 'string'),
  parameter('resourceVersionMatch', 'string'),
  parameter('sendInitialEvents', 'boolean'),
  parameter('timeoutSeconds', 'integer'),
  parameter('watch', 'boolean'),
]

const content = (schema: string | undefined, types: readonly string[]): Json =>
  schema === undefined
    ? {}
    : {
        content: Object.fromEntries(
          types.map((type) => [type, { schema: { $ref: `#/components/schemas/${schema}` } }]),
        ),
      }

interface Shape {
  readonly verb: string
  readonly action: string
  readonly operation: string
  readonly parameters?: readonly Json[]
  readonly body?: {
    readonly schema: string | undefined
    readonly types?: readonly string[]
    readonly required?: boolean
  }
  readonly answer: string | undefined
  readonly stream?: boolean
  readonly codes: readonly number[]
}

const capital = (text: string): string => (text === '' ? '' : text[0]!.toUpperCase() + text.slice(1))

/** `AppsV1`, `CoreV1`, `StorageV1` (`kube-apiserver: openapi.GetOperationIDAndTags`). */
function groupTitle(group: string): string {
  return group === '' ? 'Core' : group.split('.')[0]!.split('-').map(capital).join('')
}

const VERB_OPERATION: Readonly<Record<string, string>> = {
  get: 'read',
  update: 'replace',
  patch: 'patch',
  delete: 'delete',
  create: 'create',
  list: 'list',
  deletecollection: 'deletecollection',
  watch: 'watch',
}

/**
 * The OpenAPI v3 paths of one resource, with what clients look for in operations: the kind, the action, and
 * the query parameters (`dryRun`, `fieldValidation`, `fieldManager`).
 */
export function resourcePaths(resource: Resource, schemaName: SchemaName): Record<string, Json> {
  const { group, version, kind, namespaced } = resource
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const scoped = namespaced ? `/namespaces/{namespace}/${resource.resource}` : `/${resource.resource}`
  const own: Gvk = { group, version, kind }
  const schema = schemaName(own)
  const list = schemaName({ group, version, kind: resource.listKind })
  const status = `${META}.Status`
  const patchTypes = resource.builtIn ? PATCH_TYPES : CUSTOM_PATCH_TYPES
  const title = `${groupTitle(group)}${capital(version)}`
  const tag = `${(group === '' ? 'core' : group.split('.')[0]!).replaceAll('-', '')}_${version}`
  const paths: Record<string, Json> = {}
  const answerTypes = resource.builtIn ? MEDIA_TYPES : MEDIA_TYPES.slice(0, 2)
  const streamTypes = [...answerTypes, ...(resource.builtIn ? STREAM_MEDIA_TYPES : [])]

  const operation = (shape: Shape, gvk: Gvk): Json => ({
    tags: [tag],
    operationId: shape.operation,
    ...(shape.parameters && { parameters: shape.parameters }),
    ...(shape.body && {
      requestBody: {
        ...content(shape.body.schema, shape.body.types ?? ['*/*']),
        ...(shape.body.required !== false && { required: true }),
      },
    }),
    responses: {
      ...Object.fromEntries(
        shape.codes.map((code) => [
          String(code),
          { description: CODES[code]!, ...content(shape.answer, shape.stream ? streamTypes : answerTypes) },
        ]),
      ),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': shape.action,
    'x-kubernetes-group-version-kind': gvk,
  })
  const add = (
    path: string,
    parameters: readonly Json[],
    shapes: Readonly<Record<string, Shape | undefined>>,
    gvk: Gvk,
  ): void => {
    const operations = Object.entries(shapes).filter((entry): entry is [string, Shape] => entry[1] !== undefined)
    if (operations.length === 0) return
    paths[`${base}${path}`] = {
      ...Object.fromEntries(operations.map(([method, shape]) => [method, operation(shape, gvk)])),
      parameters: [...parameters].sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
    }
  }
  const can = (
    verbs: readonly string[],
    verb: string,
    shape: Omit<Shape, 'verb' | 'operation'>,
    suffix = '',
    scope = namespaced ? 'Namespaced' : '',
  ): Shape | undefined => {
    if (!verbs.includes(verb)) return undefined
    const collection = verb === 'deletecollection' ? 'Collection' : ''
    const operationName = verb === 'deletecollection' ? 'delete' : VERB_OPERATION[verb]!
    return { ...shape, verb, operation: `${operationName}${title}${collection}${scope}${kind}${suffix}` }
  }

  const inNamespace = namespaced ? [pathParameter('namespace')] : []
  const { verbs } = resource
  const item = [pathParameter('name'), ...inNamespace, PRETTY]
  add(
    scoped,
    [...inNamespace, PRETTY],
    {
      get: can(verbs, 'list', { action: 'list', parameters: LIST, answer: list, stream: true, codes: [200] }),
      post: can(verbs, 'create', {
        action: 'post',
        parameters: WRITE,
        body: { schema },
        answer: schema,
        codes: [200, 201, 202],
      }),
      delete: can(verbs, 'deletecollection', {
        action: 'deletecollection',
        parameters: [...DELETE, ...LIST.filter((p) => p['name'] !== 'watch' && p['name'] !== 'allowWatchBookmarks')],
        body: { schema: `${META}.DeleteOptions`, required: false },
        answer: status,
        codes: [200],
      }),
    },
    own,
  )
  add(
    `${scoped}/{name}`,
    item,
    {
      get: can(verbs, 'get', { action: 'get', answer: schema, codes: [200] }),
      put: can(verbs, 'update', {
        action: 'put',
        parameters: WRITE,
        body: { schema },
        answer: schema,
        codes: [200, 201],
      }),
      delete: can(verbs, 'delete', {
        action: 'delete',
        parameters: DELETE,
        body: { schema: `${META}.DeleteOptions`, required: false },
        answer: status,
        codes: [200, 202],
      }),
      patch: can(verbs, 'patch', {
        action: 'patch',
        parameters: PATCH,
        body: { schema: `${META}.Patch`, types: patchTypes },
        answer: schema,
        codes: [200, 201],
      }),
    },
    own,
  )
  for (const subresource of resource.subresources.values()) addSubresource(subresource)
  if (namespaced && verbs.includes('list')) {
    const all = can(verbs, 'list', { action: 'list', answer: list, stream: true, codes: [200] }, 'ForAllNamespaces', '')
    add(`/${resource.resource}`, [...LIST, PRETTY], { get: all }, own)
  }
  return paths

  function addSubresource(subresource: SubresourceInfo): void {
    const gvk: Gvk = { group: subresource.group, version: subresource.version, kind: subresource.kind }
    const sub = schemaName(gvk) ?? (subresource.name === 'scale' ? 'io.k8s.api.autoscaling.v1.Scale' : undefined)
    const suffix = capital(subresource.name)
    const { verbs } = subresource
    add(
      `${scoped}/{name}/${subresource.name}`,
      item,
      {
        get: can(verbs, 'get', { action: 'get', answer: sub, codes: [200] }, suffix),
        put: can(
          verbs,
          'update',
          { action: 'put', parameters: WRITE, body: { schema: sub }, answer: sub, codes: [200, 201] },
          suffix,
        ),
        post: can(
          verbs,
          'create',
          { action: 'post', parameters: WRITE, body: { schema: sub }, answer: sub, codes: [200, 201, 202] },
          suffix,
        ),
        delete: can(verbs, 'delete', { action: 'delete', answer: status, codes: [200, 202] }, suffix),
        patch: can(
          verbs,
          'patch',
          {
            action: 'patch',
            parameters: PATCH,
            body: { schema: `${META}.Patch`, types: patchTypes },
            answer: sub,
            codes: [200, 201],
          },
          suffix,
        ),
      },
      gvk,
    )
  }
}

const CODES: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

import type { CallOptions, KubeClient } from './kube-client.ts'
import { jsonLines } from './json-lines.ts'
import { isGone } from './kube-error.ts'
import type { KubeList, KubeObject, Status, WatchEvent } from './kube-types.ts'

/** Options of a read of one object. */
export interface GetOptions extends CallOptions {
  /** `''` for the most recent, `'0'` for any, else at least that. The session pins only the first two. */
  readonly resourceVersion?: string
}

/** What a list or a watch selects. */
export interface Selection {
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Options of a list. */
export interface ListOptions extends GetOptions, Selection {
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact'
  /** Objects in a page. Default: all in one. */
  readonly limit?: number
}

/** Options of a watch. */
export interface WatchOptions extends GetOptions, Selection {
  readonly resourceVersionMatch?: 'NotOlderThan'
  readonly sendInitialEvents?: boolean
  readonly allowWatchBookmarks?: boolean
  readonly timeoutSeconds?: number
}

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: 'All'
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** Options of a delete. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: 'All'
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** The types of a patch. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** How often a list begins anew when its continue token has grown too old. */
const MAX_RESTARTS = 3

/** `spec.replicas` and more of a Deployment, ReplicaSet, StatefulSet or custom resource. */
export interface Scale extends KubeObject {
  spec?: { replicas?: number }
  readonly status?: { readonly replicas?: number; readonly selector?: string }
}

/** A page of a list, as its iterator gives it. */
export interface Page<T> extends KubeList<T> {
  /** The continue token had grown too old, and the list began anew: what earlier pages held is void. */
  readonly restarted: boolean
}

/** A list: its pages one after the other, or all of it at once. Nothing is sent before it is asked for. */
export interface Listing<T> extends AsyncIterable<Page<T>> {
  /** All objects, of one consistent state. */
  all(): Promise<KubeList<T>>
}

/** A subresource that is read and written like an object. */
export interface SubresourceClient<T> {
  get(name: string, options?: GetOptions): Promise<T>
  /** Replaces it; `metadata.name` says where. */
  update(object: T, options?: WriteOptions): Promise<T>
  patch(
    name: string,
    patch: unknown,
    type?: PatchType,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<T>
}

/** What one can do with a resource. Made by {@link KubeClient.resource}. */
export class ResourceClient<T extends KubeObject = KubeObject> {
  readonly client: KubeClient
  readonly apiVersion: string
  readonly name: string
  readonly namespace: string
  /** The `status` subresource. */
  readonly status: SubresourceClient<T>
  /** The `scale` subresource. */
  readonly scale: SubresourceClient<Scale>

  constructor(client: KubeClient, apiVersion: string, name: string, namespace: string) {
    if (!/^([^/]+\/)?[^/]+$/.test(apiVersion))
      throw new TypeError(`apiVersion: must be like v1 or apps/v1, got '${apiVersion}'`)
    if (!name) throw new TypeError('resource: must not be empty')
    this.client = client
    this.apiVersion = apiVersion
    this.name = name
    this.namespace = namespace
    this.status = this.#subresource<T>('status')
    this.scale = this.#subresource<Scale>('scale')
  }

  /** Reads an object. */
  get(name: string, options: GetOptions = {}): Promise<T> {
    return this.#get<T>(this.#item(name), options)
  }

  /** Lists, page by page. When a continue token has grown too old, the list begins anew. */
  list(options: ListOptions = {}): Listing<T> {
    const pages = (): AsyncGenerator<Page<T>> => this.#pages(options)
    return {
      [Symbol.asyncIterator]: pages,
      async all() {
        let items: T[] = []
        let first: Page<T> | undefined
        for await (const page of pages()) {
          if (!first || page.restarted) {
            first = page
            items = []
          }
          items.push(...page.items)
        }
        const { restarted: _, ...list } = first!
        return {
          ...list,
          metadata: { ...(list.metadata.resourceVersion && { resourceVersion: list.metadata.resourceVersion }) },
          items,
        }
      },
    }
  }

  /**
   * One watch, until the server ends it or the iteration does. Every event is passed on as it came: BOOKMARK and
   * ERROR too. An Informer is what goes on after those.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    for await (const events of this.watchBatches(options)) yield* events
  }

  /** As {@link watch}, with the events that arrived together together. */
  async *watchBatches(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>[], void, undefined> {
    const {
      labelSelector,
      fieldSelector,
      resourceVersion,
      resourceVersionMatch,
      sendInitialEvents,
      allowWatchBookmarks,
      timeoutSeconds,
      ...call
    } = options
    const query = {
      watch: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      resourceVersionMatch,
      sendInitialEvents,
      allowWatchBookmarks,
      timeoutSeconds,
    }
    // The iteration may end while a chunk is awaited: then the connection has to go.
    const end = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal
    let batches: AsyncGenerator<WatchEvent<T>[]> | undefined
    try {
      const stream = await this.client.stream({ method: 'GET', path: this.#path(), query }, { ...call, signal })
      batches = jsonLines<WatchEvent<T>>(stream)
      for (let next = await batches.next(); !next.done; next = await batches.next()) yield next.value
      // Some streams end where others break.
      options.signal?.throwIfAborted()
    } catch (error) {
      options.signal?.throwIfAborted()
      throw error
    } finally {
      // First the connection: axios' streams do not let go of a quiet one by themselves.
      end.abort()
      batches?.return(undefined).catch(() => {})
    }
  }

  /** Creates an object. */
  create(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('POST', this.#path(this.#namespaceOf(object)), this.#typed(object), options)
  }

  /** Replaces an object; its `metadata.resourceVersion`, if any, must be the current one. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('PUT', this.#item(nameOf(object), this.#namespaceOf(object)), this.#typed(object), options)
  }

  /** Patches an object. `json`: a list of operations; `merge` (the default), `strategic`: a part of an object. */
  patch(
    name: string,
    patch: unknown,
    type: PatchType = 'merge',
    options: WriteOptions & { readonly force?: boolean } = {},
  ): Promise<T> {
    return this.#write('PATCH', this.#item(name), patch, options, contentTypeOf(type))
  }

  /** Server-side apply. `force` takes over fields that others manage. */
  apply(object: T, options: WriteOptions & { readonly fieldManager: string; readonly force?: boolean }): Promise<T> {
    // JSON is YAML.
    return this.#write(
      'PATCH',
      this.#item(nameOf(object), this.#namespaceOf(object)),
      this.#typed(object),
      options,
      PATCH_TYPES.apply,
    )
  }

  /** Deletes an object. Answers a Status, or the object where it lives on for a while. */
  delete(name: string, options: DeleteOptions = {}): Promise<T | Status> {
    return this.#delete<T | Status>(this.#item(name), {}, options)
  }

  /** Deletes all that are selected. Answers what was listed. */
  deleteCollection(options: DeleteOptions & Selection = {}): Promise<KubeList<T>> {
    const { labelSelector, fieldSelector, ...rest } = options
    return this.#delete<KubeList<T>>(this.#path(), { labelSelector, fieldSelector }, rest)
  }

  async *#pages(options: ListOptions): AsyncGenerator<Page<T>> {
    const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch, ...call } = options
    let next: string | undefined
    let restarts = 0
    let restarted = false
    do {
      const query = next
        ? { labelSelector, fieldSelector, limit, continue: next }
        : { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch }
      let page: KubeList<T>
      try {
        page = await this.client.request<KubeList<T>>({ method: 'GET', path: this.#path(), query }, call)
      } catch (error) {
        if (!next || !isGone(error) || ++restarts > MAX_RESTARTS) throw error
        next = undefined
        restarted = true
        continue
      }
      if (!Array.isArray(page.items)) throw new TypeError('the answer is not a list', { cause: page })
      yield { ...page, restarted }
      restarted = false
      next = page.metadata.continue
    } while (next || restarted)
  }

  #subresource<S extends KubeObject>(subresource: string): SubresourceClient<S> {
    return {
      get: (name, options = {}) => this.#get<S>(`${this.#item(name)}/${subresource}`, options),
      update: (object, options = {}) =>
        this.#write('PUT', `${this.#item(nameOf(object), this.#namespaceOf(object))}/${subresource}`, object, options),
      patch: (name, patch, type = 'merge', options = {}) =>
        this.#write('PATCH', `${this.#item(name)}/${subresource}`, patch, options, contentTypeOf(type)),
    }
  }

  #get<R>(path: string, { resourceVersion, ...call }: GetOptions): Promise<R> {
    return this.client.request<R>({ method: 'GET', path, query: { resourceVersion } }, call)
  }

  #write<R>(
    method: string,
    path: string,
    body: unknown,
    options: WriteOptions & { readonly force?: boolean },
    contentType?: string,
  ): Promise<R> {
    const { dryRun, fieldManager, fieldValidation, force, ...call } = options
    const query = { dryRun, fieldManager, fieldValidation, force }
    return this.client.request<R>({ method, path, query, body, ...(contentType && { contentType }) }, call)
  }

  #delete<R>(path: string, query: Record<string, string | undefined>, options: DeleteOptions): Promise<R> {
    const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions, ...call } = options
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds,
      propagationPolicy,
      preconditions,
      ...(dryRun && { dryRun: [dryRun] }),
    }
    return this.client.request<R>({ method: 'DELETE', path, query, body }, call)
  }

  /** An empty name would stand for the collection, and its deletion delete all. */
  #item(name: string, namespace: string = this.namespace): string {
    if (typeof name !== 'string' || !name)
      throw new TypeError(`name: must be the name of an object, got '${String(name)}'`)
    return `${this.#path(namespace)}/${encodeURIComponent(name)}`
  }

  #path(namespace: string = this.namespace): string {
    const parts = [...this.apiVersion.split('/'), ...(namespace ? ['namespaces', namespace] : []), this.name]
    return `/${this.apiVersion.includes('/') ? 'apis' : 'api'}/${parts.map(encodeURIComponent).join('/')}`
  }

  /** Clients of all namespaces write where the object says. */
  #namespaceOf(object: KubeObject): string {
    return this.namespace || (object.metadata?.namespace ?? '')
  }

  #typed(object: T): T {
    return { apiVersion: this.apiVersion, ...object }
  }
}

function contentTypeOf(type: PatchType): string {
  if (!Object.hasOwn(PATCH_TYPES, type)) {
    throw new TypeError(`patch: type must be one of ${Object.keys(PATCH_TYPES).join(', ')}, got ${String(type)}`)
  }
  return PATCH_TYPES[type]
}

function nameOf(object: KubeObject): string {
  const name = object.metadata?.name
  if (!name) throw new TypeError('metadata.name is missing')
  return name
}

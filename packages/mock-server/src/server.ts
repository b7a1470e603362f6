import { FeatureGates, StatusError, systemClock, type Clock, type FeatureName, type KubeObject } from '@freshread/core'
import { fetchThrough } from './api/fetch.ts'
import { baseHeaders, WarningRecorder, type PriorityAndFairnessIds } from './api/headers.ts'
import type { KubeRequest, KubeResponse } from './api/message.ts'
import { firstValue, parseQuery } from './api/query.ts'
import {
  decodePath,
  requestAttributes,
  newRequestInfo,
  RequestInfoError,
  type RequestInfo,
} from './api/request-info.ts'
import { requestTimeout } from './api/request-timeout.ts'
import type { ResponseContext } from './api/response-context.ts'
import { selectRoute, type Route } from './api/routing.ts'
import { respondError, respondTimeout, respondUnreadable } from './api/status.ts'
import { authorizeRequest, impersonated } from './authorization.ts'
import { Backend } from './backend.ts'
import { createControl, type Control } from './control/control.ts'
import { Faults } from './control/faults.ts'
import { handleControlRequest } from './control/http.ts'
import { Journal, type JournalEntry } from './control/journal.ts'
import { OpenStreams } from './control/open-streams.ts'
import { createCrdController, type CrdController } from './controllers/definition-controller.ts'
import { NamespaceController } from './controllers/namespace-controller.ts'
import { respondDiscovery, type DiscoverySources } from './discovery/respond-discovery.ts'
import { OpenApiV2 } from './discovery/openapi-v2.ts'
import { OpenApiV3 } from './discovery/openapi-v3.ts'
import { versionInfo } from './discovery/version.ts'
import { dumpObjects, loadObjects } from './load.ts'
import type { LoadInput } from './load-source.ts'
import { checkOptions, type KubeServerOptions } from './options.ts'
import { builtInResources, builtInSchemas } from './resources/catalogue.ts'
import { strategyFor } from './resources/kinds/index.ts'
import { MutableRegistry } from './resources/mutable-registry.ts'
import type { Resource } from './resources/resource.ts'
import type { UserInfo } from './resources/strategy.ts'
import { newUid } from './resources/system-fields.ts'
import { printerFor } from './resources/tables/index.ts'
import { dispatch } from './verbs/dispatch.ts'
import type { RequestScope, RequestTrace, VerbHost } from './verbs/scope.ts'

export type { KubeServerOptions } from './options.ts'

/** A Kubernetes API server in memory. */
export interface KubeServer {
  /** Answers one request; never rejects. Everything else is built on this. */
  handle(request: KubeRequest): Promise<KubeResponse>
  /** The same for the platform's fetch; the URL's host plays no role. */
  fetch(request: Request): Promise<Response>
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Answers a request below `/_freshread/`; whether it may come is the host's business. */
  handleControl(request: KubeRequest): Promise<KubeResponse>
  /** Makes the server lag, fail and restart. */
  readonly control: Control
  /** What was asked and how it was served. */
  readonly journal: Journal
  /**
   * Puts objects into the storage: YAML or JSON text (several documents, lists), objects, files (a `file:` URL in Node,
   * a Blob or File anywhere), or a list of these. Existing ones are replaced, missing namespaces made. Answers them as
   * they are stored.
   *
   * @throws TypeError for what are no objects; StatusError for an object that the API refuses
   */
  load(input: LoadInput): Promise<readonly KubeObject[]>
  /** All objects as they are stored, or those of one resource (`pods`, `deployments.apps`). */
  dump(resource?: string): Promise<readonly KubeObject[]>
  /** Metrics in Prometheus' text format. */
  metrics(): string
  /** Makes the server as new, see {@link Control.reset}. */
  reset(): Promise<void>
  /** Resolves when the server is ready; requests wait for that by themselves. */
  ready(): Promise<void>
  /** Ends open watches and timers, and the storage if it is the server's own. Idempotent. */
  close(): Promise<void>
}

const ADMIN: UserInfo = { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] }
const DEFAULT_JOURNAL_LIMIT = 1000
const DEFAULT_MIN_REQUEST_TIMEOUT_SECONDS = 1800

/**
 * Makes a Kubernetes API server: a function that answers requests, with a watch cache over a storage. Give its
 * `fetch` to MSW, or put it on a port with `serve` of `@freshread/mock-server/http`.
 *
 * @throws TypeError when an option is wrong
 */
export function createKubeServer(options: KubeServerOptions = {}): KubeServer {
  checkOptions(options)
  const server = new Server(options)
  // Plain functions, so that hosts may put the server behind an object of their own.
  const api: KubeServer = {
    handle: (request) => server.handle(request),
    fetch: (input: Request | string | URL, init?: RequestInit) =>
      fetchThrough(api, input instanceof Request && init === undefined ? input : new Request(absolute(input), init)),
    handleControl: (request) => handleControlRequest(server.control, request),
    control: server.control,
    journal: server.journal,
    load: (input) => loadObjects(server, input),
    dump: (resource) => dumpObjects(server, resource),
    metrics: () => server.metricsText(),
    reset: () => server.control.reset(),
    ready: () => server.ready(),
    close: () => server.close(),
  }
  return api
}

/** Fetch wants a whole URL; a path alone is enough here. */
function absolute(input: Request | string | URL): Request | string | URL {
  return typeof input === 'string' && input.startsWith('/') ? `http://kubernetes.default.svc${input}` : input
}

/** The server behind a {@link KubeServer}. */
export class Server {
  readonly clock: Clock
  readonly registry: MutableRegistry
  readonly journal: Journal
  readonly control: Control
  readonly #options: KubeServerOptions
  readonly #gates: FeatureGates
  readonly #faults: Faults
  readonly #streams = new OpenStreams()
  readonly #auditId: () => string = auditIds()
  readonly #ids: PriorityAndFairnessIds = { flowSchemaUid: newUid(), priorityLevelUid: newUid() }
  readonly #host: VerbHost
  readonly #discovery: DiscoverySources
  readonly #crds: CrdController
  readonly #namespaces: NamespaceController | undefined
  readonly #backend: Backend

  constructor(options: KubeServerOptions) {
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.#gates = new FeatureGates({ emulatedVersion: options.emulatedVersion, overrides: options.featureGates })
    this.registry = new MutableRegistry(builtInResources({ strategyFor, printerFor }))
    this.journal = new Journal(options.journalLimit ?? DEFAULT_JOURNAL_LIMIT)
    this.#faults = new Faults((fault) => this.#faultResponse(fault))
    this.#host = {
      clock: this.clock,
      registry: this.registry,
      storageOf: (resource) => this.#backend.storages.of(resource),
      enabled: (gate) => this.#gates.enabled(gate as FeatureName),
      watchMetrics: () => this.#backend.watchMetrics,
      minRequestTimeoutSeconds: options.minRequestTimeoutSeconds ?? DEFAULT_MIN_REQUEST_TIMEOUT_SECONDS,
      lookup: (group, resource, namespace, name) => this.#backend.lookup(group, resource, namespace, name),
      lookupAll: (group, resource, namespace) => this.#backend.lookupAll(group, resource, namespace),
      allowed: async (attributes) => (await options.authorize?.(attributes)) ?? true,
      restricted: options.authorize !== undefined,
      afterWrite: (resource, object, deleted) => this.#afterWrite(resource, object, deleted),
    }
    const openApiV3 = new OpenApiV3(this.registry, builtInSchemas)
    this.#discovery = {
      registry: this.registry,
      openApiV2: new OpenApiV2(openApiV3),
      openApiV3,
      version: versionInfo(this.#gates.emulatedVersion),
      serverAddress: 'kubernetes.default.svc:443',
      metrics: () => this.metricsText(),
      health: () => undefined,
    }
    this.control = createControl({
      clock: this.clock,
      faults: this.#faults,
      storage: () => this.#backend,
      resources: () => this.registry.all(),
      caches: () => this.#backend.storages.resourceVersions(),
      restart: () => {
        this.#streams.drop(undefined, true)
        return this.#backend.restart()
      },
      reset: () => {
        this.#streams.drop(undefined, true)
        return this.#backend.reset()
      },
      openWatches: () => this.#streams.size,
      dropWatches: (filter, clean) => this.#streams.drop(filter, clean),
    })
    this.#crds = createCrdController({
      registry: this.registry,
      verbs: this.#host,
      listStored: (resource, namespace) => this.#backend.listStored(resource, namespace),
      retireStorage: (storageKey) => this.#backend.storages.retire(storageKey),
    })
    this.#namespaces = options.controllers?.includes('namespace') === true ? new NamespaceController(this) : undefined
    this.#backend = new Backend({
      clock: this.clock,
      featureGates: this.#gates,
      registry: this.registry,
      storage: options.storage,
      definitions: this.#crds,
      onReset: () => this.#faults.clear(),
    })
  }

  async handle(request: KubeRequest): Promise<KubeResponse> {
    const { clock } = this
    const query = parseQuery(request.query)
    const context: ResponseContext = {
      requestHeaders: request.headers,
      query,
      headers: baseHeaders(this.#auditId(), this.#ids),
      warnings: new WarningRecorder(),
      clock,
      local: request.local,
    }
    const path = decodePath(request.path)
    if (path === undefined) return respondUnreadable(context, 400, '400 Bad Request')
    let info: RequestInfo
    try {
      info = newRequestInfo(request.method, path, query, uriOf(request))
    } catch (error) {
      if (error instanceof RequestInfoError) return respondUnreadable(context, 500, `${error.message}\n`)
      return respondError(context, error)
    }
    const trace: RequestTrace = {}
    const entry = this.#note(request, info, query)
    const started = entry.time
    let response: KubeResponse
    try {
      response = await this.#answer({ request, info, context, trace })
    } catch (error) {
      response = respondError(context, error)
      if (error instanceof StatusError) entry.reason = error.reason
    }
    entry.status = response.status
    entry.durationMs = clock.now() - started
    entry.source = trace.source
    entry.waitedMs = trace.waitedMs
    entry.fallback = trace.fallback
    entry.givenResourceVersion = trace.givenResourceVersion
    return request.method === 'HEAD' ? { status: response.status, headers: response.headers } : response
  }

  ready(): Promise<void> {
    return this.#backend.ready()
  }

  metricsText(): string {
    return this.#backend.metrics.toText()
  }

  close(): Promise<void> {
    this.#streams.drop(undefined, true)
    return this.#backend.close()
  }

  /** Objects straight from the storage, whatever the cache knows. */
  listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]> {
    return this.#backend.listStored(resource, namespace)
  }

  async #answer(call: {
    readonly request: KubeRequest
    readonly info: RequestInfo
    readonly context: ResponseContext
    readonly trace: RequestTrace
  }): Promise<KubeResponse> {
    const { request, info, context, trace } = call
    const delayMs = this.#faults.delayOf(request, info)
    if (delayMs > 0) await this.#pause(delayMs, request.signal)
    const fault = this.#faults.take(request, info)
    if (fault !== undefined) {
      const response = await fault(request, info)
      if (response !== undefined) return response
    }
    if (!this.#backend.isReady) await this.#backend.ready()
    const user = this.#userOf(request)
    await authorizeRequest(this.#options.authorize, user, info)
    if (!info.isResourceRequest) return respondDiscovery(context, request.method, info.path, this.#discovery)
    const route = selectRoute(request.method, info, this.registry, request.headers)
    const watches = route.verb === 'watch' || route.watchPath
    const timeoutMs = watches ? undefined : requestTimeout(context.query)
    const scope: RequestScope = {
      host: this.#host,
      request,
      query: context.query,
      resource: route.resource,
      subresource: route.subresource,
      namespace: route.namespace,
      name: route.name,
      watchPath: route.watchPath,
      user,
      trace,
      warnings: context.warnings,
      signal: request.signal,
    }
    const starting = storesObjects(route.resource) ? this.#backend.storages.starting(route.resource) : undefined
    if (starting !== undefined) await starting.catch(() => undefined)
    const answered = this.#dispatch(scope, route, context)
    return timeoutMs === undefined || !context.query.has('timeout')
      ? answered
      : this.#withDeadline(answered, timeoutMs, () => respondTimeout(context))
  }

  async #dispatch(scope: RequestScope, route: Route, context: ResponseContext): Promise<KubeResponse> {
    const response = await dispatch(scope, route, context)
    const { body } = response
    const isWatch = route.verb === 'watch' || route.watchPath || context.query.has('watch')
    if (!isWatch || body === undefined || body instanceof Uint8Array) return response
    return { ...response, body: this.#streams.track(body, route.resource) }
  }

  #withDeadline(answer: Promise<KubeResponse>, ms: number, late: () => KubeResponse): Promise<KubeResponse> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimeout(() => resolve(late()), ms)
      const done = (): void => this.clock.clearTimeout(timer)
      answer.then(resolve, reject).finally(done)
    })
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(resolve, ms)
      signal.addEventListener('abort', () => (this.clock.clearTimeout(timer), resolve()), { once: true })
    })
  }

  #userOf(request: KubeRequest): UserInfo {
    const { user = ADMIN } = this.#options
    return impersonated(request, typeof user === 'function' ? user(request) : user)
  }

  async #afterWrite(resource: Resource, object: KubeObject, deleted: boolean): Promise<void> {
    await this.#crds.afterWrite(resource, object, deleted)
    await this.#namespaces?.afterWrite(resource, object, deleted)
  }

  #note(request: KubeRequest, info: RequestInfo, query: ReturnType<typeof parseQuery>): JournalEntry {
    return this.journal.add({
      time: this.clock.now(),
      method: request.method,
      url: request.query === '' ? request.path : `${request.path}?${request.query}`,
      ...requestAttributes(info),
      resourceVersion: firstValue(query, 'resourceVersion'),
      resourceVersionMatch: firstValue(query, 'resourceVersionMatch'),
      userAgent: request.headers['user-agent'],
      status: 0,
      reason: undefined,
      givenResourceVersion: undefined,
      source: undefined,
      waitedMs: undefined,
      fallback: undefined,
      durationMs: 0,
    })
  }

  #faultResponse(fault: {
    readonly status: number
    readonly reason?: string
    readonly message?: string
    readonly retryAfterSeconds?: number
  }): KubeResponse {
    const { status: code, reason, message = 'injected fault', retryAfterSeconds } = fault
    const context: ResponseContext = {
      requestHeaders: {},
      query: new Map(),
      headers: baseHeaders(this.#auditId(), this.#ids),
      warnings: new WarningRecorder(),
      clock: this.clock,
    }
    return respondError(
      context,
      new StatusError({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        ...(reason !== undefined && { reason }),
        ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
        code,
      }),
    )
  }
}

/** Path and query as they came. */
function uriOf({ path, query }: KubeRequest): string {
  return query === '' ? path : `${path}?${query}`
}

/** Reviews and the like are answered, not stored. */
function storesObjects(resource: Resource): boolean {
  return resource.verbs.includes('watch')
}

/** Makes ids of requests: UUIDs that count in their last part, since random ones cost as much as the rest of a get. */
function auditIds(): () => string {
  const prefix = newUid().slice(0, -12)
  let next = 0
  return () => prefix + (next++).toString(16).padStart(12, '0')
}

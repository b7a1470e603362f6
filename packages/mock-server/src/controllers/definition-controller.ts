import {
  isConflict,
  isNotFound,
  type Clock,
  type KubeObject,
  type KV,
  type KVWatch,
  type TimerHandle,
} from '@freshread/core'
import { WarningRecorder } from '../api/headers.ts'
import type { KubeRequest } from '../api/message.ts'
import { create } from '../verbs/create.ts'
import { deleteCollection } from '../verbs/delete-collection.ts'
import { deleteFromStore } from '../verbs/delete-object.ts'
import { plainDeleteOptions } from '../verbs/delete-options.ts'
import type { RequestScope, VerbHost } from '../verbs/scope.ts'
import { update } from '../verbs/update.ts'
import type { MutableRegistry } from '../resources/mutable-registry.ts'
import type { Resource } from '../resources/resource.ts'
import { timestamp } from '../resources/system-fields.ts'
import { ApiServices } from './api-services.ts'
import { cleanupFinalizer } from '../verbs/definition-deletion.ts'
import { findCondition, isConditionTrue, withCondition } from '../resources/crd/definition/conditions.ts'
import { deepEqual } from '../resources/crd/correlated-object.ts'
import { compareUtf8 } from '../go/text.ts'
import { compareKubeVersions } from '../resources/crd/kube-version.ts'
import { withEstablished, withNames } from '../resources/crd/naming.ts'
import { withApproval, withNonStructural } from '../resources/crd/policy-conditions.ts'
import { customResources, storageKeyOf } from '../resources/crd/resource.ts'
import type { CustomResourceDefinition } from '../resources/crd/types.ts'

/** What the controller needs of the server it works in. */
export interface CrdControllerHost {
  readonly registry: MutableRegistry
  /** What verbs run in: the controller writes as any client does, but for the request. */
  readonly verbs: VerbHost
  /** Objects straight from the storage. */
  listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]>
  /** Takes the storage of objects out of use; the function returned ends it, with its watches. */
  retireStorage(storageKey: string): (() => Promise<void>) | undefined
}

/** Keeps what is served in step with the CustomResourceDefinitions there are. */
export interface CrdController {
  /** Begins to follow a storage, with the definitions that it holds. Resolves when those are served. */
  start(kv: KV): Promise<void>
  /** Sees every write of this server. Resolves when a definition has been dealt with. */
  afterWrite(resource: Resource, object: KubeObject, deleted: boolean): Promise<void>
  /** Forgets everything and follows nothing. Idempotent. */
  stop(): void
}

/** Makes the controller of a server. */
export function createCrdController(host: CrdControllerHost): CrdController {
  return new Controller(host)
}

const group = 'apiextensions.k8s.io'
const plural = 'customresourcedefinitions'
const prefix = `/registry/${group}/${plural}/`
const userAgent = 'kube-apiserver'
/** How long requests have to come to their end before watches of a changed resource are ended (`tearDown`). */
const drainMs = 1000
/** How often it is looked whether the objects of a deleted definition have gone. */
const cleanupPollMs = 5000
const retryMs = 1000
const maxAttempts = 5

/** What is served of a definition. */
interface Served {
  readonly crd: CustomResourceDefinition
  readonly resources: readonly Resource[]
}

class Controller implements CrdController {
  readonly #host: CrdControllerHost
  readonly #clock: Clock
  readonly #verbs: VerbHost
  readonly #apiServices: ApiServices
  readonly #crds = new Map<string, CustomResourceDefinition>()
  readonly #served = new Map<string, Served>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers = new Set<TimerHandle>()
  readonly #cleaning = new Set<string>()
  #watch: KVWatch | undefined
  /** Work that began before the last stop has no say any more. */
  #epoch = 0

  constructor(host: CrdControllerHost) {
    this.#host = host
    const { verbs } = host
    this.#clock = verbs.clock
    this.#verbs = {
      ...verbs,
      // Whoever writes a definition's status here goes on from there without being told.
      afterWrite: (resource, object, deleted) =>
        isDefinition(resource) ? this.#note(object, deleted) : verbs.afterWrite(resource, object, deleted),
    }
    this.#apiServices = new ApiServices({
      registry: host.registry,
      listStored: (resource, namespace) => host.listStored(resource, namespace),
      create: (resource, path, body) => create(this.#scope(resource, { method: 'POST', path, name: '', body })),
      remove: (resource, name) =>
        deleteFromStore(this.#scope(resource, { method: 'DELETE', path: '', name }), name, plainDeleteOptions(false)),
    })
  }

  async start(kv: KV): Promise<void> {
    this.stop()
    const epoch = this.#epoch
    const { kvs, revision } = await kv.range({ start: prefix, end: `${prefix.slice(0, -1)}0` })
    if (epoch !== this.#epoch) return
    for (const { value, modRevision } of kvs) this.#observe(withVersion(value.object, modRevision))
    this.#watch = kv.watch({
      key: prefix,
      prefix: true,
      startRevision: revision + 1,
      onResponse: (response) => {
        if (response.type !== 'events') return
        for (const { type, kv: changed } of response.events) {
          const name = changed.key.slice(prefix.length)
          if (type === 'delete') this.#forget(name, changed.modRevision)
          else this.#observe(withVersion(changed.value.object, changed.modRevision))
          void this.#process(name)
        }
      },
    })
    await Promise.all([...this.#crds.keys()].map((name) => this.#process(name)))
  }

  async afterWrite(resource: Resource, object: KubeObject, deleted: boolean): Promise<void> {
    const { name = '' } = object.metadata
    if (!isDefinition(resource)) {
      if (deleted && !resource.builtIn) await this.#instanceGone(resource)
      return
    }
    this.#note(object, deleted)
    await this.#process(name)
    // What ran already may have looked before this write.
    const crd = this.#crds.get(name)
    if (crd !== undefined && this.#nextStatus(crd) !== crd) await this.#process(name)
  }

  #note(object: KubeObject, deleted: boolean): void {
    if (deleted) this.#forget(object.metadata.name ?? '', versionOf(object))
    else this.#observe(object)
  }

  stop(): void {
    this.#epoch++
    this.#apiServices.forget()
    this.#watch?.cancel()
    this.#watch = undefined
    for (const timer of this.#timers) this.#clock.clearTimeout(timer)
    this.#timers.clear()
    this.#crds.clear()
    this.#served.clear()
    this.#running.clear()
    this.#cleaning.clear()
  }

  #observe(crd: CustomResourceDefinition): void {
    const { name = '' } = crd.metadata
    const known = this.#crds.get(name)
    if (known !== undefined && versionOf(known) >= versionOf(crd)) return
    this.#crds.set(name, crd)
    this.#serve(name)
  }

  #forget(name: string, revision: number): void {
    const known = this.#crds.get(name)
    if (known === undefined || versionOf(known) > revision) return
    this.#crds.delete(name)
    this.#serve(name)
  }

  /** Brings what is served in step with a definition. */
  #serve(name: string): void {
    const crd = this.#crds.get(name)
    const before = this.#served.get(name)
    if (before !== undefined && crd !== undefined && servesTheSame(before.crd, crd)) return
    const resources = crd === undefined ? [] : customResources(crd)
    if (before === undefined && resources.length === 0) return
    if (resources.length === 0) this.#served.delete(name)
    else this.#served.set(name, { crd: crd!, resources })
    if (before !== undefined && (crd === undefined || !storesTheSame(before.crd, crd)))
      this.#retire(storageKeyOf(before.crd))
    const all = [...this.#served.values()].flatMap((served) => served.resources)
    this.#host.registry.replaceCustom(all.sort(compareResources))
  }

  #retire(storageKey: string): void {
    const end = this.#host.retireStorage(storageKey)
    if (end !== undefined) this.#later(drainMs, () => void end())
  }

  #later(ms: number, run: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, ms)
    this.#timers.add(timer)
  }

  /** Deals with one definition; at most once at a time, and again as long as it changes. */
  #process(name: string): Promise<void> {
    const running = this.#running.get(name)
    if (running !== undefined) return running
    const epoch = this.#epoch
    const run = this.#settle(name)
      .then(() => this.#apiServices.sync(() => (epoch === this.#epoch ? this.#crds.values() : undefined)))
      .catch(() => {
        // The storage may be out of reach for the moment.
        if (epoch === this.#epoch) this.#later(retryMs, () => void this.#process(name))
      })
      .finally(() => {
        if (this.#running.get(name) === run) this.#running.delete(name)
      })
    this.#running.set(name, run)
    return run
  }

  async #settle(name: string): Promise<void> {
    const epoch = this.#epoch
    for (let attempt = 0; attempt < maxAttempts && epoch === this.#epoch;) {
      const crd = this.#crds.get(name)
      if (crd === undefined) {
        await this.#othersOf(name)
        return
      }
      const next = this.#nextStatus(crd)
      if (next === crd) break
      if (!(await this.#write(next))) attempt++
      else if (!deepEqual(next.status?.acceptedNames, crd.status?.acceptedNames)) await this.#othersOf(name)
    }
    const crd = this.#crds.get(name)
    if (epoch !== this.#epoch || crd?.metadata.deletionTimestamp == null) return
    await this.#cleanUp(name)
    if (!this.#crds.has(name)) await this.#othersOf(name)
  }

  /** What a definition's status should become next; the definition itself when it is as it should be. */
  #nextStatus(crd: CustomResourceDefinition): CustomResourceDefinition {
    const now = timestamp(this.#clock)
    let next = withNames(crd, this.#crds.values(), now)
    next = withApproval(withNonStructural(next, now), now)
    return next === crd ? withEstablished(crd, now) : next
  }

  /** A name that has become free may be wanted by another definition of the group. */
  async #othersOf(name: string): Promise<void> {
    const suffix = name.slice(name.indexOf('.'))
    for (const [other, crd] of this.#crds) {
      if (other === name || !other.endsWith(suffix) || this.#running.has(other)) continue
      if (this.#nextStatus(crd) !== crd) await this.#process(other)
    }
  }

  /** Writes a definition's status; false when it has changed meanwhile. */
  async #write(crd: CustomResourceDefinition): Promise<boolean> {
    const resource = this.#host.registry.find(group, 'v1', plural)!
    const { name = '' } = crd.metadata
    const path = `/apis/${group}/v1/${plural}/${name}/status`
    try {
      await update(this.#scope(resource, { method: 'PUT', path, name, subresource: 'status', body: crd }))
      return true
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false
      throw error
    }
  }

  #scope(
    resource: Resource,
    call: {
      readonly method: string
      readonly path: string
      readonly name: string
      readonly namespace?: string
      readonly subresource?: string
      readonly body?: unknown
    },
  ): RequestScope {
    const { signal } = new AbortController()
    const { body } = call
    const request: KubeRequest = {
      method: call.method,
      path: call.path,
      query: '',
      headers: { 'user-agent': userAgent, 'content-type': 'application/json' },
      body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body)),
      signal,
    }
    return {
      host: this.#verbs,
      request,
      query: new Map(),
      resource,
      subresource: call.subresource === undefined ? undefined : resource.subresources.get(call.subresource),
      namespace: call.namespace ?? '',
      name: call.name,
      watchPath: false,
      user: { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
      trace: {},
      warnings: new WarningRecorder(),
      signal,
    }
  }

  /** Deletes the objects of a definition, then lets it go (`pkg/controller/finalizer/crd_finalizer.go`). */
  async #cleanUp(name: string): Promise<void> {
    const crd = this.#crds.get(name)
    if (crd === undefined || crd.metadata.finalizers?.includes(cleanupFinalizer) !== true) return
    if (findCondition(crd, 'Terminating')?.reason === 'InstanceDeletionPending') {
      await this.#terminating(crd, 'True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress')
    }
    if (!isConditionTrue(crd, 'Established')) {
      await this.#finish(name, 'NeverEstablished', 'resource was never established')
      return
    }
    this.#cleaning.add(name)
    const [resource] = this.#served.get(name)?.resources ?? []
    if (resource !== undefined) {
      const left = await this.#deleteInstances(resource)
      if (left > 0) {
        this.#later(cleanupPollMs, () => void this.#process(name))
        return
      }
    }
    await this.#finish(name, 'InstanceDeletionCompleted', 'removed all instances')
  }

  /** Answers how many objects are left: those that others hold by finalizers. */
  async #deleteInstances(resource: Resource): Promise<number> {
    const objects = await this.#host.listStored(resource, '')
    const namespaces = new Set(objects.map((object) => object.metadata.namespace ?? ''))
    for (const namespace of namespaces) {
      const path = `/apis/${resource.group}/${resource.version}/${resource.resource}`
      await deleteCollection(this.#scope(resource, { method: 'DELETE', path, name: '', namespace }))
    }
    return (await this.#host.listStored(resource, '')).length
  }

  async #instanceGone(resource: Resource): Promise<void> {
    const name = `${resource.resource}.${resource.group}`
    if (!this.#cleaning.has(name) || this.#running.has(name)) return
    await this.#process(name)
  }

  async #terminating(crd: CustomResourceDefinition, status: string, reason: string, message: string): Promise<boolean> {
    return this.#write(withCondition(crd, { type: 'Terminating', status, reason, message }, timestamp(this.#clock)))
  }

  async #finish(name: string, reason: string, message: string): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const crd = this.#crds.get(name)
      if (crd === undefined) return
      const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
      const released: CustomResourceDefinition = { ...crd, metadata: { ...crd.metadata, finalizers } }
      if (await this.#terminating(released, 'False', reason, message)) break
    }
    this.#cleaning.delete(name)
  }
}

function isDefinition(resource: Resource): boolean {
  return resource.group === group && resource.resource === plural
}

function versionOf(object: KubeObject): number {
  return Number(object.metadata.resourceVersion ?? 0)
}

function withVersion(object: KubeObject, revision: number): CustomResourceDefinition {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** Whether the same objects are stored in the same way. */
function storesTheSame(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    deepEqual(a.spec, b.spec) &&
    deepEqual(a.status?.acceptedNames, b.status?.acceptedNames) &&
    isConditionTrue(b, 'Established')
  )
}

function servesTheSame(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  const terminating = (crd: CustomResourceDefinition): boolean =>
    crd.metadata.deletionTimestamp != null || isConditionTrue(crd, 'Terminating')
  return storesTheSame(a, b) && terminating(a) === terminating(b)
}

/** The order of discovery: a group's best version first. */
function compareResources(a: Resource, b: Resource): number {
  return (
    compareUtf8(a.group, b.group) || compareKubeVersions(a.version, b.version) || compareUtf8(a.resource, b.resource)
  )
}

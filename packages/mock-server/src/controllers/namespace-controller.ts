import { isNotFound, type KubeObject } from '@freshread/core'
import { collectionPath, LocalClient, type LocalServer } from '../local-client.ts'
import type { Resource } from '../resources/resource.ts'

const USER_AGENT = 'namespace-controller'

/**
 * Ends deleted namespaces as kube-controller-manager's namespace controller does: deletes all that is in them, then
 * takes the finalizer that held them. A namespace whose objects have finalizers waits until those are gone.
 */
export class NamespaceController {
  readonly #server: LocalServer
  readonly #client: LocalClient
  readonly #busy = new Map<string, 'once' | 'again'>()

  constructor(server: LocalServer) {
    this.#server = server
    this.#client = new LocalClient(server, USER_AGENT)
  }

  /** Sees every write: a namespace that begins to end, or something in one that is ending. */
  async afterWrite(resource: Resource, object: KubeObject, deleted: boolean): Promise<void> {
    const isNamespace = resource.group === '' && resource.resource === 'namespaces'
    const name = isNamespace ? object.metadata.name : object.metadata.namespace
    if (name === undefined || name === '') return
    if (isNamespace ? deleted || object.metadata.deletionTimestamp == null : !deleted) return
    this.#schedule(name)
  }

  /** One namespace is worked on once at a time; what happens meanwhile is looked at afterwards. */
  #schedule(name: string): void {
    if (this.#busy.has(name)) {
      this.#busy.set(name, 'again')
      return
    }
    this.#busy.set(name, 'once')
    void this.#run(name)
  }

  async #run(name: string): Promise<void> {
    try {
      do {
        this.#busy.set(name, 'once')
        await this.#finish(name)
      } while (this.#busy.get(name) === 'again')
    } catch (error) {
      // The namespace stays Terminating, as it does when the real controller fails.
      if (!isNotFound(error)) console.warn(`namespace controller: ${name}: ${(error as Error).message}`)
    } finally {
      this.#busy.delete(name)
    }
  }

  async #finish(name: string): Promise<void> {
    const namespace = await this.#call('GET', `/api/v1/namespaces/${name}`)
    if (namespace === undefined || namespace.metadata.deletionTimestamp == null) return
    let left = 0
    for (const resource of this.#contents()) {
      for (const { metadata } of await this.#server.listStored(resource, name)) {
        if (metadata.deletionTimestamp == null || (metadata.deletionGracePeriodSeconds ?? 0) > 0) {
          await this.#call(
            'DELETE',
            `${collectionPath(resource, name)}/${encodeURIComponent(metadata.name!)}?gracePeriodSeconds=0`,
          )
        }
      }
      left += (await this.#server.listStored(resource, name)).length
    }
    if (left > 0) return
    const spec = namespace['spec'] as { readonly finalizers?: readonly string[] } | undefined
    const finalizers = (spec?.finalizers ?? []).filter((finalizer) => finalizer !== 'kubernetes')
    await this.#call('PUT', `/api/v1/namespaces/${name}/finalize`, { ...namespace, spec: { ...spec, finalizers } })
  }

  #contents(): Resource[] {
    const byKey = new Map<string, Resource>()
    for (const resource of this.#server.registry.all()) {
      if (resource.namespaced && resource.verbs.includes('delete') && !byKey.has(resource.storageKey)) {
        byKey.set(resource.storageKey, resource)
      }
    }
    return [...byKey.values()]
  }

  /** `undefined` when there is no such object. */
  async #call(method: string, url: string, body?: unknown): Promise<KubeObject | undefined> {
    const { status, object } = await this.#client.send(method, url, body)
    if (status === 404) return undefined
    if (status >= 400 && status !== 409) throw new Error(`${method} ${url}: ${JSON.stringify(object)}`)
    return object as KubeObject
  }
}

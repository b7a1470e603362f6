import { isAlreadyExists, isNotFound, type KubeObject } from '@freshread/core'
import type { DeleteOptions } from '../verbs/delete-options.ts'
import type { MutableRegistry } from '../resources/mutable-registry.ts'
import type { Resource } from '../resources/resource.ts'
import type { CustomResourceDefinition } from '../resources/crd/types.ts'

/** Marks the APIServices that come and go by themselves. */
const automanaged = 'kube-aggregator.kubernetes.io/automanaged'
/** Where groups of definitions stand among the others (`pkg/controlplane/controller/crdregistration`). */
const groupPriorityMinimum = 1000
const versionPriority = 100

/** What the writer needs of the controller it works for. */
export interface ApiServiceHost {
  readonly registry: MutableRegistry
  listStored(resource: Resource, namespace: string): Promise<readonly KubeObject[]>
  create(resource: Resource, path: string, object: unknown): Promise<unknown>
  remove(resource: Resource, name: string, options?: DeleteOptions): Promise<unknown>
}

/** Keeps an APIService for each version that definitions serve. */
export class ApiServices {
  readonly #host: ApiServiceHost
  #known: Set<string> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(host: ApiServiceHost) {
    this.#host = host
  }

  /** Brings them in step with the definitions there are; `undefined` for nobody who could say. Never rejects. */
  sync(definitions: () => Iterable<CustomResourceDefinition> | undefined): Promise<void> {
    this.#running = this.#running.then(() => this.#sync(definitions())).catch(() => undefined)
    return this.#running
  }

  /** Forgets what there was: the storage may be another one. */
  forget(): void {
    this.#known = undefined
  }

  async #sync(definitions: Iterable<CustomResourceDefinition> | undefined): Promise<void> {
    if (definitions === undefined) return
    const resource = this.#host.registry.find('apiregistration.k8s.io', 'v1', 'apiservices')
    if (resource === undefined) return
    const wanted = new Map<string, { readonly group: string; readonly version: string }>()
    for (const { spec } of definitions) {
      for (const { name = '', served } of spec?.versions ?? []) {
        if (served === true) wanted.set(`${name}.${spec?.group ?? ''}`, { group: spec?.group ?? '', version: name })
      }
    }
    this.#known ??= await this.#stored(resource)
    for (const [name, { group, version }] of wanted) {
      if (this.#known.has(name)) continue
      await this.#create(resource, name, { group, version, groupPriorityMinimum, versionPriority })
      this.#known.add(name)
    }
    for (const name of this.#known) {
      if (wanted.has(name)) continue
      await this.#remove(resource, name)
      this.#known.delete(name)
    }
  }

  async #stored(resource: Resource): Promise<Set<string>> {
    const services = await this.#host.listStored(resource, '')
    const own = services.filter(({ metadata }) => metadata.labels?.[automanaged] === 'true')
    return new Set(own.map(({ metadata }) => metadata.name ?? ''))
  }

  async #create(resource: Resource, name: string, spec: object): Promise<void> {
    const metadata = { name, labels: { [automanaged]: 'true' } }
    const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec }
    try {
      await this.#host.create(resource, '/apis/apiregistration.k8s.io/v1/apiservices', object)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async #remove(resource: Resource, name: string): Promise<void> {
    try {
      await this.#host.remove(resource, name)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

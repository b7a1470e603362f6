import {
  createResourceStorage,
  MemoryKV,
  SelectionPredicate,
  type KubeObject,
  type ListOptions,
  type ResourceStorage,
  type ResourceStorageOptions,
  type WatchOptions,
} from '@freshread/core'

export const prefix = '/pods'

export function pod(i: number, node = i % 100): KubeObject {
  return {
    metadata: {
      name: name(i),
      namespace: namespace(i),
      labels: { app: `app-${i % 1_000}`, tier: i % 2 === 0 ? 'front' : 'back' },
    },
    spec: { nodeName: `node-${node}`, containers: [{ name: 'c', image: 'registry.example/image:1' }] },
  }
}

export function name(i: number): string {
  return `pod-${String(i).padStart(6, '0')}`
}

export function namespace(i: number): string {
  return `ns-${i % 100}`
}

export function keyOf(i: number): string {
  return `${prefix}/${namespace(i)}/${name(i)}`
}

/** A cache over a memory store with so many objects in it. */
export async function filled(count: number, options: Partial<ResourceStorageOptions> = {}): Promise<ResourceStorage> {
  const resource = createResourceStorage({
    kv: new MemoryKV(),
    groupResource: { group: '', resource: 'pods' },
    resourcePrefix: prefix,
    ...options,
  })
  await resource.ready()
  for (let i = 0; i < count; i++) {
    await resource.storage.create(keyOf(i), pod(i))
    if (i % 500 === 0) await turn()
  }
  return resource
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function listOptions(
  resourceVersion: string,
  match = '',
  predicate = SelectionPredicate.everything,
): ListOptions {
  return { resourceVersion, resourceVersionMatch: match, predicate, recursive: true }
}

export function watchOptions(resourceVersion: string, predicate = SelectionPredicate.everything): WatchOptions {
  return listOptions(resourceVersion, '', predicate)
}

import { newNotFound, StoredObject, type KubeObject } from '@freshread/core'
import type { RequestScope, VerbResult } from '../scope.ts'

const refused = (port: number): string =>
  `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`

/** What a control plane without scheduler and controller manager is like. */
const components: readonly StoredObject[] = [
  componentStatus('scheduler', 'False', refused(10259)),
  componentStatus('controller-manager', 'False', refused(10257)),
  componentStatus('etcd-0', 'True', 'ok'),
]

function componentStatus(name: string, status: string, message: string): StoredObject {
  const object: KubeObject = {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status, message }],
  }
  return new StoredObject(`/componentstatuses/${name}`, 0, object)
}

/** Reads one component's health (`pkg/registry/core/componentstatus`). */
export async function getComponentStatus(scope: RequestScope): Promise<VerbResult> {
  const found = components.find(({ object }) => object.metadata.name === scope.name)
  if (found === undefined) throw newNotFound({ group: '', resource: 'componentstatus' }, scope.name)
  return { type: 'value', code: 200, object: found.object }
}

/** Reads the health of all components. */
export async function listComponentStatuses(): Promise<VerbResult> {
  return { type: 'list', list: { resourceVersion: '', continue: '', remainingItemCount: undefined, items: components } }
}

import {
  aggregateMessage,
  interpretGetError,
  interpretUpdateError,
  newBadRequest,
  newConflict,
  notSupported,
  required,
  StatusError,
  type FieldError,
  type KubeObject,
  type StoredObject,
} from '@freshread/core'
import { keyOf } from '../../resources/storage-key.ts'
import { timestamp } from '../../resources/system-fields.ts'
import { asKind, createdStatus } from '../as-kind.ts'
import { decodeRequestObject } from '../decode.ts'
import { dryUpdate } from '../dry-run.ts'
import { admitCreate } from '../admission/namespace-lifecycle.ts'
import { ensureNamespace } from '../object-meta.ts'
import type { RequestScope, VerbResult } from '../scope.ts'
import { writeOptions } from '../write-options.ts'

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string }
}

/** Assigns a pod to a node, as a scheduler does (`pkg/registry/core/pod/storage: BindingREST`). */
export async function createBinding(scope: RequestScope): Promise<VerbResult> {
  const bindingScope = asKind(scope, '', 'v1', 'Binding')
  const options = writeOptions(scope.query, 'CreateOptions')
  const binding: Binding = decodeRequestObject(bindingScope, options.fieldValidation)
  ensureNamespace(binding.metadata, scope.namespace)
  const { name = '' } = binding.metadata
  await admitCreate(bindingScope, binding)
  if (scope.subresource !== undefined && name !== scope.name) {
    throw newBadRequest('name in URL does not match name in Binding object')
  }
  const errors = validateBinding(binding)
  // These errors are no API errors upstream either: a 500 that says what is wrong.
  if (errors.length > 0) throw new Error(aggregateMessage(errors.map((error) => error.message)))
  await assignPod(scope, name, binding, options.dryRun)
  return createdStatus()
}

function validateBinding({ target = {} }: Binding): FieldError[] {
  const errors: FieldError[] = []
  if (target.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    errors.push(notSupported('target.kind', target.kind, ['Node', '<empty>']))
  }
  if ((target.name ?? '') === '') errors.push(required('target.name', ''))
  return errors
}

async function assignPod(scope: RequestScope, name: string, binding: Binding, dryRun: boolean): Promise<void> {
  const { host } = scope
  const pods = host.registry.find('', 'v1', 'pods')!
  const storage = host.storageOf(pods)
  const key = keyOf(pods, scope.namespace, name)
  const { uid, resourceVersion } = binding.metadata
  const update = {
    preconditions: { uid: uid || undefined, resourceVersion: resourceVersion || undefined },
    signal: scope.signal,
    tryUpdate: (current: StoredObject | undefined): { readonly object: KubeObject } => ({
      object: bound(structuredClone(current!.object), binding, timestamp(host.clock)),
    }),
  }
  try {
    const out = dryRun ? undefined : await storage.guaranteedUpdate(key, update)
    if (out === undefined) await dryUpdate(storage, key, update)
    else await host.afterWrite(pods, out.object, false)
  } catch (error) {
    const interpreted = interpretUpdateError(interpretGetError(error, pods, name), pods, name)
    if (interpreted instanceof StatusError) throw interpreted
    throw newConflict({ group: '', resource: 'pods/binding' }, name, interpreted as Error)
  }
}

interface Condition {
  readonly type: string
  readonly status: string
}

function bound(pod: KubeObject, binding: Binding, now: string): KubeObject {
  const { metadata } = pod
  const spec = pod['spec'] as { nodeName?: string; schedulingGates?: readonly unknown[] }
  if (metadata.deletionTimestamp != null) {
    throw new Error(`pod ${metadata.name!} is being deleted, cannot be assigned to a host`)
  }
  if (spec.nodeName)
    throw new Error(`pod ${metadata.name!} is already assigned to node ${JSON.stringify(spec.nodeName)}`)
  if (spec.schedulingGates?.length) throw new Error(`pod ${metadata.name!} has non-empty .spec.schedulingGates`)
  spec.nodeName = binding.target!.name!
  const { annotations, labels } = binding.metadata
  if (annotations !== undefined) metadata.annotations = { ...metadata.annotations, ...annotations }
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels }
  const status = (pod['status'] ??= {}) as { conditions?: Condition[]; nominatedNodeName?: string }
  delete status.nominatedNodeName
  setCondition(status, { type: 'PodScheduled', status: 'True' }, now)
  return pod
}

/** Sets a condition of a pod; its time moves when its status does (`pkg/api/pod: UpdatePodCondition`). */
export function setCondition(
  status: { conditions?: Condition[] },
  condition: Condition & { readonly reason?: string; readonly message?: string },
  now: string,
): void {
  const conditions = (status.conditions ??= [])
  const index = conditions.findIndex(({ type }) => type === condition.type)
  const before = conditions[index] as (Condition & { readonly lastTransitionTime?: string }) | undefined
  const { type, status: value, ...rest } = condition
  const lastTransitionTime = before?.status === value ? (before.lastTransitionTime ?? now) : now
  const made = { type, status: value, lastProbeTime: null, lastTransitionTime, ...rest }
  if (index < 0) conditions.push(made)
  else conditions[index] = made
}

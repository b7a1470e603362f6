import {
  interpretGetError,
  LabelSelector,
  newBadRequest,
  newForbidden,
  newTooManyRequests,
  StatusError,
  type KubeObject,
} from '@freshread/core'
import type { LabelSelectorFields } from '../../resources/label-selector.ts'
import { keyOf } from '../../resources/storage-key.ts'
import type { FieldValidation } from '../../resources/decode/decode-object.ts'
import { timestamp } from '../../resources/system-fields.ts'
import { asKind, createdStatus } from '../as-kind.ts'
import { checkPreconditions } from '../before-delete.ts'
import { setCondition } from './binding.ts'
import { decodeRequestObject } from '../decode.ts'
import { plainDeleteOptions, type DeleteOptions } from '../delete-options.ts'
import { deleteFromStore } from '../delete-object.ts'
import { noteUpdate } from '../managed-fields.ts'
import { admitCreate } from '../admission/namespace-lifecycle.ts'
import { ensureNamespace } from '../object-meta.ts'
import type { RequestScope, VerbResult } from '../scope.ts'
import { updateObject } from '../update.ts'
import { writeOptions } from '../write-options.ts'

interface Eviction extends KubeObject {
  readonly deleteOptions?: {
    readonly gracePeriodSeconds?: number
    readonly preconditions?: DeleteOptions['preconditions']
    readonly orphanDependents?: boolean
    readonly propagationPolicy?: string
    readonly dryRun?: readonly string[]
  }
}

interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelectorFields; readonly unhealthyPodEvictionPolicy?: string }
  readonly status?: {
    readonly observedGeneration?: number
    readonly disruptionsAllowed?: number
    readonly currentHealthy?: number
    readonly desiredHealthy?: number
    readonly disruptedPods?: Readonly<Record<string, string>>
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

const RETRY_AFTER_SECONDS = 10
/** Evictions that may be under way of one budget. */
const MAX_DISRUPTED_PODS = 2000

/** Deletes a pod unless a disruption budget is against it (`pkg/registry/core/pod/storage: EvictionREST`). */
export async function createEviction(scope: RequestScope): Promise<VerbResult> {
  const { host, namespace } = scope
  const evictionScope = asKind(scope, 'policy', 'v1', 'Eviction')
  const write = writeOptions(scope.query, 'CreateOptions')
  const eviction: Eviction = decodeEviction(evictionScope, write.fieldValidation)
  ensureNamespace(eviction.metadata, namespace)
  await admitCreate(evictionScope, eviction)
  if (eviction.metadata.name !== scope.name) throw newBadRequest('name in URL does not match name in Eviction object')

  let pod: KubeObject
  try {
    pod = (
      await host.storageOf(scope.resource).get(keyOf(scope.resource, namespace, scope.name), { signal: scope.signal })
    ).object
  } catch (error) {
    throw interpretGetError(error, scope.resource, scope.name)
  }
  const given = eviction.deleteOptions ?? {}
  const options: DeleteOptions = {
    ...plainDeleteOptions(write.dryRun || (given.dryRun?.length ?? 0) > 0),
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions && { ...given.preconditions },
    orphanDependents: given.orphanDependents,
    propagationPolicy: given.propagationPolicy,
  }
  if (!canIgnoreBudgets(pod)) await askBudget(scope, pod, options.dryRun)
  const podScope: RequestScope = { ...scope, subresource: scope.resource.subresources.get('status') }
  if (!options.dryRun) {
    await updateObject(podScope, {
      dryRun: false,
      preconditions: undefined,
      forceAllowCreate: false,
      newObject: (current) => {
        checkPreconditions(podScope, current!, options)
        return disrupted(structuredClone(current!), timestamp(host.clock))
      },
    })
    if (options.preconditions?.resourceVersion !== undefined) delete options.preconditions.resourceVersion
  }
  await deleteFromStore(podScope, scope.name, options)
  return createdStatus()
}

/** Evictions may still come in their beta version, which differs in nothing but the name. */
function decodeEviction(current: RequestScope, validation: FieldValidation): Eviction {
  try {
    return decodeRequestObject(current, validation)
  } catch (error) {
    const { resource } = current
    const old = { ...current, resource: { ...resource, version: 'v1beta1', storageApiVersion: 'policy/v1beta1' } }
    try {
      return decodeRequestObject(old, validation)
    } catch {
      throw error
    }
  }
}

function disrupted(pod: KubeObject, now: string): KubeObject {
  const status = (pod['status'] ??= {}) as Parameters<typeof setCondition>[0]
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  setCondition(status, condition, now)
  return pod
}

/** Pods that run nothing, or not for long: their end disrupts nobody. */
function canIgnoreBudgets(pod: KubeObject): boolean {
  const { phase = '' } = (pod['status'] ?? {}) as { phase?: string }
  return ['Succeeded', 'Failed', 'Pending'].includes(phase) || pod.metadata.deletionTimestamp != null
}

async function askBudget(scope: RequestScope, pod: KubeObject, dryRun: boolean): Promise<void> {
  const budgets = (await scope.host.lookupAll('policy', 'poddisruptionbudgets', scope.namespace)) as readonly Budget[]
  const matching = budgets.filter((budget) => selects(budget.spec?.selector, pod.metadata.labels ?? {}))
  if (matching.length === 0) return
  if (matching.length > 1) {
    throw new StatusError({
      metadata: {},
      status: 'Failure',
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    })
  }
  const [budget] = matching as [Budget]
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  if (!isReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return
  }
  checkBudget(budget)
  if (!dryRun) await decrement(scope, budget, pod.metadata.name!)
}

function isReady(pod: KubeObject): boolean {
  const { conditions = [] } = (pod['status'] ?? {}) as { conditions?: readonly { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

/** Throws when a budget allows no disruption (`checkAndDecrement`). */
function checkBudget(budget: Budget): void {
  const { name = '', generation = 0 } = budget.metadata
  const { observedGeneration = 0, disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
  const { disruptedPods = {}, conditions = [] } = budget.status ?? {}
  if (observedGeneration < generation) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS)
  }
  const refused = `The disruption budget ${name} does not allow evicting pods currently`
  if (disruptionsAllowed < 0) {
    throw forbidden(name, 'pdb disruptions allowed is negative', `${refused}: pdb disruptions allowed is negative`)
  }
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    throw forbidden(
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      `${refused}: too many pending evictions not confirmed by PDB controller`,
    )
  }
  if (disruptionsAllowed > 0) return
  const condition = conditions.find(({ type, status }) => type === 'DisruptionAllowed' && status === 'False')
  const { message = '', reason = '' } = condition ?? {}
  if (message !== '' && reason === 'SyncFailed') throw tooMany(`${refused} because it failed sync: ${message}`, 0)
  if (currentHealthy <= desiredHealthy) {
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      0,
    )
  }
  throw tooMany(message === '' ? refused : `${refused} (${reason}): ${message}`, 0)
}

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget."
  return withCause(newTooManyRequests(text, retryAfterSeconds), message)
}

function forbidden(name: string, why: string, message: string): StatusError {
  return withCause(newForbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, why), message)
}

function withCause({ status }: StatusError, message: string): StatusError {
  const { retryAfterSeconds, ...details } = status.details ?? {}
  const causes = [{ reason: 'DisruptionBudget', message }]
  return new StatusError({
    ...status,
    details: { ...details, causes, ...(retryAfterSeconds && { retryAfterSeconds }) },
  })
}

/** Takes one disruption from a budget, as the API server itself. */
async function decrement(scope: RequestScope, budget: Budget, pod: string): Promise<void> {
  const { host } = scope
  const resource = host.registry.find('policy', 'v1', 'poddisruptionbudgets')!
  const budgetScope: RequestScope = {
    ...scope,
    resource,
    subresource: resource.subresources.get('status'),
    name: budget.metadata.name!,
  }
  await updateObject(budgetScope, {
    dryRun: false,
    preconditions: undefined,
    forceAllowCreate: false,
    newObject: (current) => {
      const now = current as Budget
      checkBudget(now)
      const changed = { ...now, status: withoutOne(now, pod, timestamp(host.clock)) }
      return noteUpdate(budgetScope, now, structuredClone(changed), 'kube-apiserver')
    },
  })
}

function withoutOne({ status = {}, metadata }: Budget, pod: string, now: string): NonNullable<Budget['status']> {
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed')
  const none = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  }
  return {
    ...status,
    disruptedPods: { ...status.disruptedPods, [pod]: now },
    disruptionsAllowed,
    ...(disruptionsAllowed === 0 && { conditions: [...others, none] }),
  }
}

/** Whether a label selector as objects have it selects these labels; an absent one selects nothing, an empty one all. */
function selects(selector: LabelSelectorFields | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false
  const terms = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (operator === 'Exists') terms.push(key)
    else if (operator === 'DoesNotExist') terms.push(`!${key}`)
    else terms.push(`${key} ${operator.toLowerCase()} (${values.join(',')})`)
  }
  return LabelSelector.parse(terms.join(',')).matches(labels)
}

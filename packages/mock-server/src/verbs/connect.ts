import {
  forbidden,
  interpretGetError,
  invalid,
  newBadRequest,
  newInvalid,
  newNotFound,
  newServiceUnavailable,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { firstValue } from '../api/query.ts'
import { keyOf, type RequestScope, type VerbResult } from './scope.ts'

/*
 * Subresources that lead to a kubelet or another server. There are none here: what can be said without them is.
 */

interface PodSpec {
  readonly nodeName?: string
  readonly containers?: readonly { readonly name: string }[]
  readonly initContainers?: readonly { readonly name: string }[]
  readonly ephemeralContainers?: readonly { readonly name: string }[]
}

async function read(scope: RequestScope): Promise<KubeObject> {
  const { resource, namespace, name } = scope
  try {
    return (await scope.host.storageOf(resource).get(keyOf(resource, namespace, name), { signal: scope.signal })).object
  } catch (error) {
    throw interpretGetError(error, resource, name)
  }
}

/** The log of a container: nothing, since it never ran (`pkg/registry/core/pod/strategy.go: LogLocation`). */
export async function podLog(scope: RequestScope): Promise<VerbResult> {
  checkLogOptions(scope)
  const pod = await read(scope)
  const spec = (pod['spec'] ?? {}) as PodSpec
  checkContainer(scope.name, spec, firstValue(scope.query, 'container') ?? '')
  if (!spec.nodeName) return { type: 'empty', code: 204 }
  await requireNode(scope, spec.nodeName)
  return { type: 'text', code: 200, text: '' }
}

/** `pkg/apis/core/validation: ValidatePodLogOptions`. */
function checkLogOptions(scope: RequestScope): void {
  const errors: FieldError[] = []
  const numberOf = (name: string): number | undefined => {
    const text = firstValue(scope.query, name)
    return text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text)
  }
  const least = (name: string, minimum: number, text: string): void => {
    const value = numberOf(name)
    if (value !== undefined && value < minimum) errors.push(invalid(name, value, text))
  }
  least('tailLines', 0, 'must be greater than or equal to 0')
  least('limitBytes', 1, 'must be greater than 0')
  if (numberOf('sinceSeconds') !== undefined && firstValue(scope.query, 'sinceTime') !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
  } else least('sinceSeconds', 1, 'must be greater than 0')
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'PodLogOptions' }, scope.name, errors)
}

function checkContainer(pod: string, spec: PodSpec, container: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name)
  if (container !== '') {
    if (!names.includes(container)) throw newBadRequest(`container ${container} is not valid for pod ${pod}`)
  } else if (containers.length > 1) {
    throw newBadRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]`)
  }
}

/** Upstream looks for the node in the name of the pod's resource. */
async function requireNode(scope: RequestScope, node: string): Promise<void> {
  if ((await scope.host.lookup('', 'nodes', '', node)) === undefined) {
    throw newNotFound(scope.resource, node)
  }
}

/** `exec`, `attach` and `portforward`. */
export async function podConnect(scope: RequestScope): Promise<VerbResult> {
  const pod = await read(scope)
  const spec = (pod['spec'] ?? {}) as PodSpec
  if (scope.subresource?.name !== 'portforward') {
    checkContainer(scope.name, spec, firstValue(scope.query, 'container') ?? '')
  }
  if (!spec.nodeName) throw newBadRequest(`pod ${scope.name} does not have a host assigned`)
  await requireNode(scope, spec.nodeName)
  throw newBadRequest('Upgrade request required')
}

/** `proxy` of pods, services and nodes: there is nothing behind it. */
export async function proxy(scope: RequestScope): Promise<VerbResult> {
  const { resource } = scope.resource
  // A port may follow the name: `http:web:80`.
  const parts = scope.name.split(':')
  const name = parts.length === 1 ? parts[0]! : parts.length === 2 ? parts[0]! : parts[1]!
  if (resource === 'services') throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  await read({ ...scope, name })
  throw newBadRequest('address not allowed')
}

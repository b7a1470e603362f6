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
import { firstValue } from '../../api/query.ts'
import { keyOf } from '../../resources/storage-key.ts'
import type { RequestScope, VerbResult } from '../scope.ts'

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

/** Name and port of `name`, `name:port` or `scheme:name:port` (`pkg/util/net/port_split.go: SplitSchemeNamePort`). */
function splitSchemeNamePort(id: string): { name: string; port: string } | undefined {
  const parts = id.split(':')
  if (parts.length > 3 || (parts.length === 3 && !['', 'http', 'https'].includes(parts[0]!))) return undefined
  const [name = '', port = ''] = parts.length === 3 ? parts.slice(1) : parts
  return name === '' ? undefined : { name, port }
}

/** `proxy` of pods, services and nodes: there is nothing behind it. */
export async function proxy(scope: RequestScope): Promise<VerbResult> {
  const { resource } = scope.resource
  const target = splitSchemeNamePort(scope.name)
  if (target === undefined) {
    throw newBadRequest(`invalid ${resource.slice(0, -1)} request ${JSON.stringify(scope.name)}`)
  }
  const { name, port } = target
  if (resource !== 'services') {
    await read({ ...scope, name })
    throw newBadRequest('address not allowed')
  }
  // Only a port given as a number is looked up in the service (`pkg/registry/core/service: ResourceLocation`).
  if (/^[+-]?\d+$/.test(port)) {
    const { ports = [] } = (await read({ ...scope, name }))['spec'] as { ports?: readonly { port: number }[] }
    if (!ports.some((own) => own.port === Number(port))) {
      throw newServiceUnavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`)
    }
  }
  throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`)
}

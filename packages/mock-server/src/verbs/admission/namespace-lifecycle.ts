import { newForbidden, newNotFound, StatusError, type KubeObject } from '@freshread/core'
import type { RequestScope } from '../scope.ts'

/** Namespaces that cannot be deleted. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

const SYSTEM_CLASSES: ReadonlySet<string> = new Set(['system-cluster-critical', 'system-node-critical'])

const NAMESPACES = { group: '', resource: 'namespaces' } as const

const isNamespaces = (scope: RequestScope): boolean =>
  scope.resource.group === '' && scope.resource.resource === 'namespaces'

/**
 * Nothing new comes into a namespace that is missing or being deleted
 * (`pkg/admission/plugin/namespace/lifecycle`). Throws the 404 or 403.
 */
export async function admitCreate(scope: RequestScope, object: KubeObject): Promise<void> {
  const { namespace, resource } = scope
  if (namespace === '' || !resource.namespaced || isAccessReview(resource.group, resource.resource)) return
  const found = await scope.host.lookup('', 'namespaces', '', namespace)
  if (found === undefined) throw newNotFound(NAMESPACES, namespace)
  if ((found['status'] as { phase?: string } | undefined)?.phase !== 'Terminating') return
  const name = object.metadata?.name || object.metadata?.generateName || scope.name || 'Unknown'
  const { status } = newForbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  throw new StatusError({
    ...status,
    details: {
      ...status.details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  })
}

/** Throws a 403 for namespaces and priority classes that the cluster cannot do without. */
export function admitDelete(scope: RequestScope, name: string): void {
  const { group, resource } = scope.resource
  if (group === 'scheduling.k8s.io' && resource === 'priorityclasses' && SYSTEM_CLASSES.has(name)) {
    throw newForbidden({ group, resource }, name, 'this is a system priority class and cannot be deleted')
  }
  if (isNamespaces(scope) && IMMORTAL.has(name)) {
    throw newForbidden(NAMESPACES, name, 'this namespace may not be deleted')
  }
}

function isAccessReview(group: string, resource: string): boolean {
  return group === 'authorization.k8s.io' && resource === 'localsubjectaccessreviews'
}

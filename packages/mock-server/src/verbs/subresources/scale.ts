import {
  newBadRequest,
  newConflict,
  newInternalError,
  newInvalid,
  invalid,
  StoredObject,
  type KubeObject,
} from '@freshread/core'
import { limitedBody } from '../../api/decode-body.ts'
import { groupVersion } from '../../api/object-bytes.ts'
import { fromScaleManagers, toScaleManagers, type ReplicasPaths } from '../../patch/managed-fields/index.ts'
import { managerOrUserAgent } from '../../patch/managed-fields/manager-name.ts'
import type { Resource, ScaleAccess } from '../../resources/resource.ts'
import { builtInScale } from '../../resources/scale-access.ts'
import { asKind } from '../as-kind.ts'
import { decodeRequestObject } from '../decode.ts'
import { get } from '../get.ts'
import { noteUpdate } from '../managed-fields.ts'
import { checkName, ensureNamespace } from '../object-meta.ts'
import { checkPatchType, patchedObject, readPatch } from '../patch.ts'
import type { RequestScope, VerbResult } from '../scope.ts'
import { updateObject, type ObjectUpdate } from '../update.ts'
import { writeOptions } from '../write-options.ts'

/** Stands for replicas that an object does not say: the smallest number there is. */
const NOT_SET = -(2 ** 31)

const pathText = (access: ScaleAccess): string => `.${access.specReplicasPath.join('.')}`

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}

/** How the Scale of a resource's objects is read and written; `undefined` where there is none. */
function accessOf(resource: Resource): ScaleAccess {
  return resource.scale ?? builtInScale
}

/** Reads the Scale of an object (`pkg/registry/apps/deployment/storage: ScaleREST.Get`). */
export async function getScale(scope: RequestScope): Promise<VerbResult> {
  const result = await get(scope)
  if (result.type !== 'object') return result
  const { resource } = scope
  const object = resource.fromStorage(result.object.object)
  if (resource.scale !== undefined && resource.scale.read(object).replicas === undefined) {
    throw newInternalError(new Error(`the spec replicas field "${pathText(resource.scale)}" does not exist`))
  }
  return { type: 'value', code: 200, object: scaleOf(resource, object) }
}

/** Sets the replicas of an object by a whole Scale. */
export async function updateScale(scope: RequestScope): Promise<VerbResult> {
  const scaleScope = asKind(scope, 'autoscaling', 'v1', 'Scale')
  limitedBody(scope.request)
  const options = writeOptions(scope.query, 'UpdateOptions')
  const given = decodeRequestObject(scaleScope, options.fieldValidation)
  ensureNamespace(given.metadata, scope.namespace)
  checkName(given.metadata, scope.name, scope.namespace)
  const manager = managerOrUserAgent(options.fieldManager, scope.request.headers['user-agent'])
  const { uid } = given.metadata
  const preconditions = uid ? { uid } : undefined
  return writeScale(scope, { dryRun: options.dryRun, preconditions }, (current) =>
    noteUpdate(scaleScope, current, structuredClone(given), manager),
  )
}

/** Sets the replicas of an object by a patch of its Scale. */
export async function patchScale(scope: RequestScope): Promise<VerbResult> {
  const scaleScope = asKind(scope, 'autoscaling', 'v1', 'Scale')
  const type = checkPatchType(scope)
  const { options, body } = readPatch(scaleScope, type)
  if (scope.resource.scale !== undefined && type === 'application/apply-patch+yaml') {
    // Custom resources cannot be scaled by server-side apply: the real server stumbles over the versions.
    const what = `${scope.name}; autoscaling/v1, Kind=Scale`
    throw new Error(
      `failed to convert new object (/${what}) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
    )
  }
  return writeScale(scope, { dryRun: options.dryRun, preconditions: undefined }, (current) =>
    patchedObject(scaleScope, current, body, options),
  )
}

async function writeScale(
  scope: RequestScope,
  options: Pick<ObjectUpdate, 'dryRun' | 'preconditions'>,
  newScale: (current: KubeObject) => KubeObject,
): Promise<VerbResult> {
  const { resource, name } = scope
  const apiVersion = groupVersion(resource)
  const access = accessOf(resource)
  const paths: ReplicasPaths = { [apiVersion]: access.specReplicasPath }
  const result = await updateObject(scope, {
    ...options,
    forceAllowCreate: false,
    newObject: (stored) => {
      const current = resource.fromStorage(stored!)
      const { managedFields } = current.metadata
      const before = scaleOf(resource, current)
      const unset = resource.scale !== undefined && access.read(current).replicas === undefined
      if (unset) before['spec'] = { replicas: NOT_SET }
      const owners = toScaleManagers(managedFields, paths)
      if (owners !== undefined) before.metadata.managedFields = owners
      const scale = newScale(before) as Scale
      const replicas = scale.spec?.replicas ?? 0
      if (unset && replicas === NOT_SET) {
        throw newBadRequest(`the spec replicas field "${pathText(access)}" cannot be empty`)
      }
      // Objects of custom kinds are validated as a whole afterwards.
      if (replicas < 0 && resource.scale === undefined) {
        const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0')
        throw newInvalid({ group: 'autoscaling', kind: 'Scale' }, name, [error])
      }
      const { uid, resourceVersion } = scale.metadata
      if (uid !== undefined && uid !== '' && uid !== current.metadata.uid) {
        throw newConflict(
          { group: resource.group, resource: `${resource.resource}/scale` },
          name,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
        )
      }
      const object = structuredClone(access.write(current, replicas))
      if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion
      else if (resource.scale === undefined) delete object.metadata.resourceVersion
      const noted = fromScaleManagers(managedFields, scale.metadata.managedFields, apiVersion, paths)
      if (noted === undefined) delete object.metadata.managedFields
      else object.metadata.managedFields = noted
      return resource.toStorage(object)
    },
  })
  if (result.type !== 'object' && result.type !== 'value') return result
  const object = result.object instanceof StoredObject ? resource.fromStorage(result.object.object) : result.object
  return { type: 'value', code: result.code, object: scaleOf(resource, object) }
}

function scaleOf(resource: Resource, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  let read: ReturnType<ScaleAccess['read']>
  try {
    read = accessOf(resource).read(object)
  } catch (error) {
    throw newBadRequest((error as Error).message)
  }
  const { replicas = 0, statusReplicas, selector } = read
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name: name!,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas, ...(selector !== '' && { selector }) },
  }
}

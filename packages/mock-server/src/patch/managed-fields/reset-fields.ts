import { FieldSet } from './field-set.ts'
import { fieldElement } from './path-element.ts'

/** What of a resource decides which fields a write through it cannot set. */
export interface ResettingResource {
  readonly group: string
  readonly resource: string
  readonly builtIn: boolean
  readonly subresources: ReadonlyMap<string, unknown>
}

/** Leaves out of a set what a writer cannot set, since the server puts it back (`rest.ResetFieldsStrategy`). */
export type FieldFilter = (set: FieldSet) => FieldSet

const keepAll: FieldFilter = (set) => set

function exclude(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = FieldSet.of(...paths.map((path) => path.map(fieldElement)))
  return (set) => set.recursiveDifference(excluded)
}

const excludeStatus = exclude(['status'])
const excludeSpec = exclude(['spec'])
const excludeSpecAndMetadata = exclude(['spec'], ['metadata'])

/** Status subresources that take no metadata either; those of other built-in kinds do. */
const statusWithoutMetadata: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'apiregistration.k8s.io/apiservices',
  'certificates.k8s.io/podcertificaterequests',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'internal.apiserver.k8s.io/storageversions',
  'networking.k8s.io/servicecidrs',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourcepoolstatusrequests',
  'scheduling.k8s.io/compositepodgroups',
  'scheduling.k8s.io/podgroups',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/volumeattachments',
  'storagemigration.k8s.io/storageversionmigrations',
])

const special: Readonly<Record<string, FieldFilter>> = {
  '/namespaces/finalize': excludeStatus,
  '/pods/status': exclude(['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']),
  'apps/deployments/status': exclude(['spec'], ['metadata', 'labels']),
  'certificates.k8s.io/certificatesigningrequests': exclude(['spec'], ['status']),
  'certificates.k8s.io/certificatesigningrequests/approval': exclude(['spec'], ['status', 'certificate']),
  'certificates.k8s.io/certificatesigningrequests/status': exclude(['spec'], ['status', 'conditions']),
}

/** The filter of writes through a resource or one of its subresources (`GetResetFields` of its strategy). */
export function resetFieldsFilter(resource: ResettingResource, subresource: string): FieldFilter {
  const name = `${resource.group}/${resource.resource}`
  if (resource.builtIn) {
    const own = special[subresource === '' ? name : `${name}/${subresource}`]
    if (own !== undefined) return own
  }
  switch (subresource) {
    case '':
      return resource.subresources.has('status') ? excludeStatus : keepAll
    case 'status':
      return resource.builtIn && !statusWithoutMetadata.has(name) ? excludeSpec : excludeSpecAndMetadata
    default:
      return keepAll
  }
}

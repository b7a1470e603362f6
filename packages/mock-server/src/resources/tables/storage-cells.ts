import { name, age, type CellMaker } from './cell-parts.ts'
import type { View } from './view.ts'

const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

function accessModes(modes: View): string {
  const given = new Set(modes.strings())
  return ACCESS_MODES.filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',')
}

function storageClassOf(object: View): string {
  return object
    .at('metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class')
    .string(object.at('spec', 'storageClassName').string())
}

const phaseOf = (object: View): string =>
  object.at('metadata', 'deletionTimestamp').exists ? 'Terminating' : object.at('status', 'phase').string()

/** A claim's value only counts once it is bound. */
function claimCells(claim: View, now: number): readonly unknown[] {
  const bound = claim.at('spec', 'volumeName').string() !== ''
  return [
    name(claim),
    phaseOf(claim),
    claim.at('spec', 'volumeName').string(),
    bound ? claim.at('status', 'capacity', 'storage').string('0') : '',
    bound ? accessModes(claim.at('status', 'accessModes')) : '',
    storageClassOf(claim),
    claim.at('spec', 'volumeAttributesClassName').string('<unset>'),
    age(claim, now),
    claim.at('spec', 'volumeMode').string('<unset>'),
  ]
}

function volumeCells(volume: View, now: number): readonly unknown[] {
  const claim = volume.at('spec', 'claimRef')
  return [
    name(volume),
    volume.at('spec', 'capacity', 'storage').string('0'),
    accessModes(volume.at('spec', 'accessModes')),
    volume.at('spec', 'persistentVolumeReclaimPolicy').string(),
    phaseOf(volume),
    claim.exists ? `${claim.at('namespace').string()}/${claim.at('name').string()}` : '',
    storageClassOf(volume),
    volume.at('spec', 'volumeAttributesClassName').string('<unset>'),
    volume.at('status', 'reason').string(),
    age(volume, now),
    volume.at('spec', 'volumeMode').string('<unset>'),
  ]
}

/** How volumes, claims and storage drivers are shown, by `group/resource` (`pkg/printers/internalversion/printers.go`). */
export const storageCells: Readonly<Record<string, CellMaker>> = {
  '/persistentvolumeclaims': claimCells,
  '/persistentvolumes': volumeCells,
  'storage.k8s.io/csidrivers': (driver, now) => {
    const spec = driver.at('spec')
    const requests = spec.at('tokenRequests')
    return [
      name(driver),
      spec.at('attachRequired').bool(true),
      spec.at('podInfoOnMount').bool(),
      spec.at('storageCapacity').bool(),
      requests.exists
        ? requests
            .list()
            .map((request) => request.at('audience').string())
            .join(',')
        : '<unset>',
      spec.at('requiresRepublish').bool(),
      spec.at('volumeLifecycleModes').strings().join(',') || '<none>',
      age(driver, now),
    ]
  },
  'storage.k8s.io/csinodes': (node, now) => [name(node), node.at('spec', 'drivers').list().length, age(node, now)],
  'storage.k8s.io/storageclasses': (object, now) => [
    name(object),
    object.at('provisioner').string(),
    object.at('reclaimPolicy').string('Delete'),
    object.at('volumeBindingMode').string('Immediate'),
    object.at('allowVolumeExpansion').bool(),
    age(object, now),
  ],
  'storage.k8s.io/volumeattachments': (attachment, now) => [
    name(attachment),
    attachment.at('spec', 'attacher').string(),
    attachment.at('spec', 'source', 'persistentVolumeName').string(),
    attachment.at('spec', 'nodeName').string(),
    attachment.at('status', 'attached').bool(),
    age(attachment, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (object, now) => [
    name(object),
    object.at('driverName').string(),
    age(object, now),
  ],
}

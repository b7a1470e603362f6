import { duplicate, invalid, required, type FieldError, type ObjectMeta } from '@freshread/core'
import { fieldsAt, isSet, stringAt, type Fields } from '../fields.ts'
import { moreThanOne } from './common.ts'
import { checked, isDNSLabel, isDNSSubdomain } from './names.ts'
import { validateOneSource } from './volume-sources.ts'

/** Volumes of a pod by name, those that are right. */
export type Volumes = ReadonlyMap<string, Fields>

/** Order in which sources are looked at: all but the first of a volume are refused. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
]

/** Volumes of a pod (`ValidateVolumes`). */
export function validateVolumes(
  path: string,
  volumes: readonly Fields[],
  meta: ObjectMeta | undefined,
): [Volumes, FieldError[]] {
  const errors: FieldError[] = []
  const known = new Map<string, Fields>()
  const podName = meta?.name ?? ''
  const ownClaims = new Set(
    volumes
      .filter((volume) => podName !== '' && isSet(volume, 'ephemeral'))
      .map((volume) => `${podName}-${stringAt(volume, 'name')}`),
  )
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(volume, 'name')
    const own = validateSource(at, volume, name, podName)
    if (name === '') own.push(required(`${at}.name`, ''))
    else own.push(...checked(`${at}.name`, name, isDNSLabel))
    if (known.has(name)) own.push(duplicate(`${at}.name`, name))
    if (own.length === 0) known.set(name, volume)
    errors.push(...own)
    const claim = stringAt(fieldsAt(volume, 'persistentVolumeClaim'), 'claimName')
    if (claim !== '' && ownClaims.has(claim)) {
      const text = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, text))
    }
  }
  return [known, errors]
}

function validateSource(path: string, volume: Fields, name: string, podName: string): FieldError[] {
  const errors: FieldError[] = []
  const sources = SOURCES.filter((source) => isSet(volume, source))
  if (sources.length === 0) errors.push(required(path, 'must specify a volume type'))
  for (const [index, source] of sources.entries()) {
    const at = `${path}.${source}`
    if (index > 0) {
      // The real server's own slips in these two names are part of what clients see.
      const shown = source === 'downwardAPI' ? 'downwarAPI' : source === 'cephfs' ? 'cephFS' : source
      errors.push(moreThanOne(`${path}.${shown}`, 'volume type'))
    } else
      errors.push(
        ...validateOneSource(
          source === 'gcePersistentDisk' ? `${path}.persistentDisk` : at,
          source,
          fieldsAt(volume, source)!,
        ),
      )
    if (source === 'ephemeral' && podName !== '' && name !== '') {
      const claim = `${podName}-${name}`
      for (const text of isDNSSubdomain(claim))
        errors.push(invalid(`${path}.name`, name, `PVC name "${claim}": ${text}`))
    }
  }
  return errors
}

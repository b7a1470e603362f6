import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  type FieldError,
  type ObjectMeta,
} from '@freshread/core'
import { fieldsAt, isSet, isTrueAt, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { moreThanOne, oneOf } from './common.ts'
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './env.ts'
import { validateLabelSelector } from './labels.ts'
import { checked, inclusiveRange, isDNSLabel, isDNSSubdomain, isUnixId } from './names.ts'
import { descendingPath, fileMode, noBacksteps, nonReservedPath } from './paths.ts'
import { validateClaimSpec, validateClaimTemplateMeta } from './persistent-volume-claim.ts'

/** Volumes of a pod by name, those that are right. */
export type Volumes = ReadonlyMap<string, Fields>

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]
const KEY_TYPES = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
export const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never']

/** Fields that a volume's source must have, for kinds of volumes of which nothing more is checked here. */
const REQUIRED_OF_SOURCE: Readonly<Record<string, readonly string[]>> = {
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  glusterfs: ['endpoints', 'path'],
  rbd: ['monitors', 'image'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
}

const ISCSI_NAME = /^(iqn\.\d{4}-\d{2}\.([a-z0-9-.]*)(:.*)?|eui\.[0-9a-fA-F]{16}|naa\.[0-9a-fA-F]{32})$/

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

/** One volume's source, of a pod or a PersistentVolume. */
export function validateOneSource(path: string, kind: string, source: Fields): FieldError[] {
  switch (kind) {
    case 'emptyDir': {
      const limit = stringAt(source, 'sizeLimit')
      if (limit === '' || Quantity.parse(limit).nano >= 0n) return []
      return [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    }
    case 'hostPath':
      return validateHostPath(path, source)
    case 'gitRepo': {
      const errors = requiredFields(path, source, ['repository'])
      return [...errors, ...descendingPath(`${path}.directory`, stringAt(source, 'directory'))]
    }
    case 'secret':
    case 'configMap':
      return validateKeys(path, source, kind === 'secret' ? 'secretName' : 'name')
    case 'nfs':
      return validateNFS(path, source)
    case 'storageos':
      return validateStorageOS(path, source)
    case 'azureDisk':
      return validateAzureDisk(path, source)
    case 'fc':
      return validateFC(path, source)
    case 'quobyte':
      return validateQuobyte(path, source)
    case 'flocker':
      return validateFlocker(path, source)
    case 'iscsi':
      return validateISCSI(path, source)
    case 'persistentVolumeClaim':
      return requiredFields(path, source, ['claimName'])
    case 'downwardAPI':
      return [
        ...fileMode(`${path}.defaultMode`, numberAt(source, 'defaultMode')),
        ...listAt(source, 'items').flatMap((file) => validateDownwardFile(path, file)),
      ]
    case 'projected':
      return validateProjected(path, source)
    case 'csi':
      return validateCSI(path, source)
    case 'ephemeral': {
      const template = fieldsAt(source, 'volumeClaimTemplate')
      const at = `${path}.volumeClaimTemplate`
      if (template === undefined) return [required(at, '')]
      return [
        ...validateClaimTemplateMeta(at, template),
        ...validateClaimSpec(`${at}.spec`, fieldsAt(template, 'spec') ?? {}),
      ]
    }
    case 'image':
      return [
        ...requiredFields(path, source, ['reference']),
        ...oneOf(`${path}.pullPolicy`, stringAt(source, 'pullPolicy'), PULL_POLICIES),
      ]
    default:
      return requiredFields(path, source, REQUIRED_OF_SOURCE[kind] ?? [])
  }
}

/** An error for each field that is not set. */
export function requiredFields(path: string, source: Fields, names: readonly string[]): FieldError[] {
  return names
    .filter((name) => !isSet(source, name) || source[name] === '')
    .map((name) => required(`${path}.${name}`, ''))
}

export function validateHostPath(path: string, source: Fields): FieldError[] {
  const value = stringAt(source, 'path')
  if (value === '') return [required(`${path}.path`, '')]
  const errors = noBacksteps(`${path}.path`, value)
  const type = stringAt(source, 'type')
  if (!HOST_PATH_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, HOST_PATH_TYPES))
  return errors
}

export function validateNFS(path: string, source: Fields): FieldError[] {
  const errors = requiredFields(path, source, ['server', 'path'])
  const value = stringAt(source, 'path')
  if (!value.startsWith('/')) errors.push(invalid(`${path}.path`, value, 'must be an absolute path'))
  return errors
}

function validateKeys(path: string, source: Fields, nameField: string): FieldError[] {
  const errors = [
    ...requiredFields(path, source, [nameField]),
    ...fileMode(`${path}.defaultMode`, numberAt(source, 'defaultMode')),
  ]
  for (const [index, item] of listAt(source, 'items').entries())
    errors.push(...validateKeyToPath(`${path}.items[${index}]`, item))
  return errors
}

function validateKeyToPath(path: string, item: Fields): FieldError[] {
  return [
    ...requiredFields(path, item, ['key', 'path']),
    ...nonReservedPath(`${path}.path`, stringAt(item, 'path')),
    ...fileMode(`${path}.mode`, numberAt(item, 'mode')),
    ...userId(`${path}.user`, numberAt(item, 'user')),
  ]
}

function userId(path: string, user: number | undefined): FieldError[] {
  return user === undefined ? [] : isUnixId(user).map((text) => invalid(path, user, text))
}

function validateDownwardFile(path: string, file: Fields): FieldError[] {
  const errors = [...requiredFields(path, file, ['path']), ...nonReservedPath(`${path}.path`, stringAt(file, 'path'))]
  const field = fieldsAt(file, 'fieldRef')
  const resource = fieldsAt(file, 'resourceFieldRef')
  if (field !== undefined) {
    errors.push(...validateFieldRef(`${path}.fieldRef`, field, VOLUME_FIELDS))
    if (resource !== undefined) {
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    }
  } else if (resource !== undefined)
    errors.push(...validateResourceFieldRef(`${path}.resourceFieldRef`, resource, true))
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
  return [...errors, ...fileMode(`${path}.mode`, numberAt(file, 'mode'))]
}

function validateProjected(path: string, projected: Fields): FieldError[] {
  const errors = fileMode(`${path}.defaultMode`, numberAt(projected, 'defaultMode'))
  const used = new Set<string>()
  const claim = (file: string, value: string): void => {
    if (file === '') return
    if (used.has(file)) errors.push(invalid(path, value, 'conflicting duplicate paths'))
    used.add(file)
  }
  for (const [index, source] of listAt(projected, 'sources').entries()) {
    const at = `${path}.sources[${index}]`
    const kinds = [
      'secret',
      'configMap',
      'downwardAPI',
      'serviceAccountToken',
      'clusterTrustBundle',
      'podCertificate',
    ].filter((kind) => isSet(source, kind))
    for (const kind of kinds) {
      const projection = fieldsAt(source, kind)!
      const here = `${at}.${kind}`
      switch (kind) {
        case 'secret':
        case 'configMap':
          errors.push(...requiredFields(here, projection, ['name']))
          for (const [i, item] of listAt(projection, 'items').entries()) {
            errors.push(...validateKeyToPath(`${here}.items[${i}]`, item))
            claim(stringAt(item, 'path'), stringAt(projection, 'name'))
          }
          break
        case 'downwardAPI':
          for (const file of listAt(projection, 'items')) {
            errors.push(...validateDownwardFile(here, file))
            claim(stringAt(file, 'path'), stringAt(file, 'path'))
          }
          break
        case 'serviceAccountToken':
          errors.push(...validateToken(path, here, projection))
          break
        case 'clusterTrustBundle':
          errors.push(...validateTrustBundle(here, projection))
          claim(stringAt(projection, 'path'), stringAt(projection, 'path'))
          break
        default:
          errors.push(...validatePodCertificate(here, projection, claim))
      }
    }
    if (kinds.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  }
  return errors
}

function validateToken(volumePath: string, path: string, token: Fields): FieldError[] {
  const errors: FieldError[] = []
  const seconds = numberAt(token, 'expirationSeconds')
  if (seconds === undefined) errors.push(required(`${path}.expirationSeconds`, ''))
  else if (seconds < 600)
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'))
  else if (seconds > 2 ** 32) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const file = stringAt(token, 'path')
  // Named as a field of the volume, not of the source.
  if (file === '') errors.push(required(`${volumePath}.path`, ''))
  else errors.push(...nonReservedPath(`${volumePath}.path`, file))
  return errors
}

function validateTrustBundle(path: string, bundle: Fields): FieldError[] {
  const errors: FieldError[] = []
  const byName = isSet(bundle, 'name')
  const bySigner = isSet(bundle, 'signerName')
  if (byName && bySigner) errors.push(invalid(path, bundle, 'only one of name and signerName may be used'))
  else if (byName) {
    if (bundle['name'] === '') errors.push(required(`${path}.name`, 'must be a valid object name'))
    if (isSet(bundle, 'labelSelector')) {
      errors.push(
        invalid(`${path}.labelSelector`, bundle['labelSelector'], 'labelSelector must be unset if name is specified'),
      )
    }
  } else if (bySigner) {
    if (bundle['signerName'] === '') errors.push(required(`${path}.signerName`, 'must be a valid signer name'))
    errors.push(...validateLabelSelector(`${path}.labelSelector`, fieldsAt(bundle, 'labelSelector')))
  } else errors.push(required(path, 'either name or signerName must be specified'))
  return [
    ...errors,
    ...requiredFields(path, bundle, ['path']),
    ...nonReservedPath(`${path}.path`, stringAt(bundle, 'path')),
  ]
}

function validatePodCertificate(
  path: string,
  certificate: Fields,
  claim: (file: string, value: string) => void,
): FieldError[] {
  const errors: FieldError[] = []
  const type = stringAt(certificate, 'keyType')
  if (!KEY_TYPES.includes(type)) errors.push(notSupported(`${path}.keyType`, type, KEY_TYPES))
  const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'].filter(
    (name) => stringAt(certificate, name) !== '',
  )
  for (const name of files) {
    const file = stringAt(certificate, name)
    errors.push(...nonReservedPath(`${path}.${name}`, file))
    claim(file, file)
  }
  if (files.length === 0) {
    errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'))
  }
  return errors
}

function validateCSI(path: string, source: Fields): FieldError[] {
  const errors = validateDriverName(`${path}.driver`, stringAt(source, 'driver'))
  const secret = fieldsAt(source, 'nodePublishSecretRef')
  if (secret === undefined) return errors
  const name = stringAt(secret, 'name')
  if (name === '') errors.push(required(`${path}.nodePublishSecretRef.name`, ''))
  else errors.push(...checked(`${path}.name`, name, isDNSSubdomain))
  return errors
}

/** The name of a CSI driver: a subdomain in any case, of 63 bytes at most. */
export function validateDriverName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path, '')]
  const errors = name.length > 63 ? [tooLong(path, 63)] : []
  for (const text of isDNSSubdomain(name.toLowerCase())) errors.push(invalid(path, name, text))
  return errors
}

/** Where a container mounts volumes (`ValidateVolumeMounts`). */
export function validateVolumeMounts(path: string, container: Fields, volumes: Volumes): FieldError[] {
  const errors: FieldError[] = []
  const paths = new Set<string>()
  const devices = listAt(container, 'volumeDevices')
  for (const [index, mount] of listAt(container, 'volumeMounts').entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(mount, 'name')
    const mountPath = stringAt(mount, 'mountPath')
    if (name === '') errors.push(required(`${at}.name`, ''))
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`, ''))
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    if (devices.some((device) => device['name'] === name))
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'))
    if (devices.some((device) => device['devicePath'] === mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'))
    }
    // The next are named as fields of the list, not of the mount.
    const subPath = stringAt(mount, 'subPath')
    if (subPath !== '') errors.push(...descendingPath(`${path}.subPath`, subPath))
    const expression = stringAt(mount, 'subPathExpr')
    if (expression !== '') {
      if (subPath !== '')
        errors.push(invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'))
      errors.push(...descendingPath(`${path}.subPathExpr`, expression))
    }
    errors.push(...validatePropagation(path, mount, isTrueAt(fieldsAt(container, 'securityContext'), 'privileged')))
  }
  return errors
}

function validatePropagation(path: string, mount: Fields, privileged: boolean): FieldError[] {
  const errors: FieldError[] = []
  const propagation = stringAt(mount, 'mountPropagation')
  if (isSet(mount, 'mountPropagation')) {
    const supported = ['Bidirectional', 'HostToContainer', 'None']
    if (!supported.includes(propagation)) errors.push(notSupported(`${path}.mountPropagation`, propagation, supported))
    if (propagation === 'Bidirectional' && !privileged) {
      const text = 'Bidirectional mount propagation is available only to privileged containers'
      errors.push(forbidden(`${path}.mountPropagation`, text))
    }
  }
  if (!isSet(mount, 'recursiveReadOnly')) return errors
  const at = `${path}.recursiveReadOnly`
  const mode = stringAt(mount, 'recursiveReadOnly')
  if (mode === 'Enabled' || mode === 'IfPossible') {
    if (!isTrueAt(mount, 'readOnly')) errors.push(forbidden(at, 'may only be specified when readOnly is true'))
    if (propagation !== '' && propagation !== 'None') {
      errors.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'))
    }
  } else if (mode !== 'Disabled') errors.push(notSupported(at, mode, ['Disabled', 'Enabled', 'IfPossible']))
  return errors
}

/** Block devices of a container (`ValidateVolumeDevices`). */
export function validateVolumeDevices(path: string, container: Fields, volumes: Volumes): FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  const paths = new Set<string>()
  const mounts = listAt(container, 'volumeMounts')
  for (const [index, device] of listAt(container, 'volumeDevices').entries()) {
    const at = `${path}[${index}]`
    const name = stringAt(device, 'name')
    const devicePath = stringAt(device, 'devicePath')
    const volume = volumes.get(name)
    if (name === '') errors.push(required(`${at}.name`, ''))
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'))
    if (volume === undefined) errors.push(notFound(`${at}.name`, name))
    else if (!isSet(volume, 'persistentVolumeClaim') && !isSet(volume, 'ephemeral')) {
      const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(invalid(`${at}.name`, name, text))
    }
    if (devicePath === '') errors.push(required(`${at}.devicePath`, ''))
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'))
    if (devicePath.split('/').includes('..'))
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"))
    else paths.add(devicePath)
    if (mounts.some((mount) => mount['name'] === name))
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'))
    if (mounts.some((mount) => mount['mountPath'] === devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
  }
  return errors
}

function validateFlocker(path: string, source: Fields): FieldError[] {
  const [name, uuid] = [stringAt(source, 'datasetName'), stringAt(source, 'datasetUUID')]
  const errors: FieldError[] = []
  if (name === '' && uuid === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (name !== '' && uuid !== '') {
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  }
  if (name.includes('/')) errors.push(invalid(`${path}.datasetName`, name, "must not contain '/'"))
  return errors
}

function validateISCSI(path: string, source: Fields): FieldError[] {
  const errors = requiredFields(path, source, ['targetPortal', 'iqn'])
  const named = (field: string, text: string, name: string): void => {
    if (!/^(iqn|eui|naa)/.test(name))
      errors.push(invalid(`${path}.${field}`, name, `${text} starting with iqn, eui, or naa`))
    else if (!ISCSI_NAME.test(name)) errors.push(invalid(`${path}.${field}`, name, text))
  }
  const iqn = stringAt(source, 'iqn')
  if (iqn !== '') named('iqn', 'must be valid format', iqn)
  const lun = numberAt(source, 'lun') ?? 0
  if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)))
  const authenticated = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true
  if (authenticated && !isSet(source, 'secretRef')) errors.push(required(`${path}.secretRef`, ''))
  const initiator = source['initiatorName']
  if (typeof initiator === 'string') named('initiatorname', 'must be valid format', initiator)
  return errors
}

function validateFC(path: string, source: Fields): FieldError[] {
  const [names, ids] = [stringsAt(source, 'targetWWNs'), stringsAt(source, 'wwids')]
  const errors: FieldError[] = []
  const at = `${path}.targetWWNs`
  if (names.length === 0 && ids.length === 0) {
    errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'))
  }
  if (names.length > 0 && ids.length > 0) {
    errors.push(invalid(at, names, 'targetWWNs and wwids can not be specified simultaneously'))
  }
  if (names.length === 0) return errors
  const lun = numberAt(source, 'lun')
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)))
  return errors
}

function validateQuobyte(path: string, source: Fields): FieldError[] {
  const text = 'must be a host:port pair or multiple pairs separated by commas'
  const registry = stringAt(source, 'registry')
  const errors: FieldError[] = []
  if (registry === '') errors.push(required(`${path}.registry`, text))
  else if (stringAt(source, 'tenant').length >= 65) {
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'))
  } else {
    for (const pair of registry.split(',')) {
      if (!/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair)) errors.push(invalid(`${path}.registry`, registry, text))
    }
  }
  return [...errors, ...requiredFields(path, source, ['volume'])]
}

const AZURE_BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'
const AZURE_MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'

function validateAzureDisk(path: string, source: Fields): FieldError[] {
  const errors = requiredFields(path, source, ['diskName', 'diskURI'])
  const oneOfThese = (name: string, values: readonly string[]): void => {
    const value = source[name]
    if (typeof value === 'string' && !values.includes(value))
      errors.push(notSupported(`${path}.${name}`, value, values))
  }
  oneOfThese('cachingMode', ['None', 'ReadOnly', 'ReadWrite'])
  oneOfThese('kind', ['Dedicated', 'Managed', 'Shared'])
  if (!isSet(source, 'kind')) return errors
  const uri = stringAt(source, 'diskURI')
  const managed = source['kind'] === 'Managed'
  if (uri.startsWith(managed ? '/subscriptions/' : 'https://')) return errors
  return [...errors, notSupported(`${path}.diskURI`, uri, [managed ? AZURE_MANAGED : AZURE_BLOB])]
}

/** A StorageOS volume, of a pod or a PersistentVolume. */
function validateStorageOS(path: string, source: Fields): FieldError[] {
  const name = stringAt(source, 'volumeName')
  const namespace = stringAt(source, 'volumeNamespace')
  const errors = name === '' ? [required(`${path}.volumeName`, '')] : checked(`${path}.volumeName`, name, isDNSLabel)
  if (namespace !== '') errors.push(...checked(`${path}.volumeNamespace`, namespace, isDNSLabel))
  const secret = fieldsAt(source, 'secretRef')
  return secret === undefined ? errors : [...errors, ...requiredFields(`${path}.secretRef`, secret, ['name'])]
}

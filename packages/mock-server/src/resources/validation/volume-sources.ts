import { forbidden, invalid, notSupported, required, tooLong, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { oneOf } from './common.ts'
import { checked, inclusiveRange, isDNSLabel, isDNSSubdomain } from './names.ts'
import { descendingPath, fileMode, noBacksteps } from './paths.ts'
import { validateClaimSpec, validateClaimTemplateMeta } from './persistent-volume-claim.ts'
import { validateProjected } from './projected-volume.ts'
import { requiredFields, validateDownwardFile, validateKeyToPath } from './volume-files.ts'

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

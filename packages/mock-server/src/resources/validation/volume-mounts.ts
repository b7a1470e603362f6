import { forbidden, invalid, notFound, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, isTrueAt, listAt, stringAt, type Fields } from '../fields.ts'
import { descendingPath } from './paths.ts'
import type { Volumes } from './volumes.ts'

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

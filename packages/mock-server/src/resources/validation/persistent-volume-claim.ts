import { forbidden, invalid, notSupported, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, mapAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'
import { annotationsOf, labelsOf, validateAnnotations, validateLabels, validateLabelSelector } from './labels.ts'
import { checked, isDNSLabel, isDNSSubdomain } from './names.ts'

export const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const VOLUME_MODES: readonly string[] = ['Block', 'Filesystem']

/** Access modes of a claim or a volume. */
export function validateAccessModes(path: string, modes: readonly string[]): FieldError[] {
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(path, mode, ACCESS_MODES))
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))
  ) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
  return errors
}

/** An amount of storage: more than nothing. */
export function validateStorage(path: string, text: string): FieldError[] {
  return Quantity.parse(text).nano <= 0n ? [invalid(path, text, 'must be greater than zero')] : []
}

/** What a claim asks for (`ValidatePersistentVolumeClaimSpec`). */
export function validateClaimSpec(path: string, spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const modes = stringsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, 'at least 1 access mode is required'))
  errors.push(...validateLabelSelector(`${path}.selector`, fieldsAt(spec, 'selector')))
  errors.push(...validateAccessModes(`${path}.accessModes`, modes))
  const storage = mapAt(fieldsAt(spec, 'resources'), 'requests')['storage']
  const storagePath = `${path}.resources[storage]`
  errors.push(...(storage === undefined ? [required(storagePath, '')] : validateStorage(storagePath, storage)))
  for (const name of ['storageClassName', 'volumeAttributesClassName']) {
    const value = stringAt(spec, name)
    if (value !== '') errors.push(...checked(`${path}.${name}`, value, isDNSSubdomain))
  }
  const mode = spec['volumeMode']
  if (typeof mode === 'string' && !VOLUME_MODES.includes(mode))
    errors.push(notSupported(`${path}.volumeMode`, mode, VOLUME_MODES))
  const source = fieldsAt(spec, 'dataSource')
  const reference = fieldsAt(spec, 'dataSourceRef')
  if (source !== undefined) errors.push(...validateSource(`${path}.dataSource`, source))
  if (reference !== undefined) errors.push(...validateSource(`${path}.dataSourceRef`, reference))
  if (source !== undefined && reference !== undefined) {
    const differs = ['apiGroup', 'kind', 'name'].some((name) => source[name] !== reference[name])
    if (differs && !isSet(reference, 'namespace')) errors.push(invalid(path, {}, 'must match dataSourceRef'))
  }
  return errors
}

function validateSource(path: string, source: Fields): FieldError[] {
  const errors: FieldError[] = []
  const kind = stringAt(source, 'kind')
  const group = stringAt(source, 'apiGroup')
  const namespace = stringAt(source, 'namespace')
  if (stringAt(source, 'name') === '') errors.push(required(`${path}.name`, ''))
  if (kind === '') errors.push(required(`${path}.kind`, ''))
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  }
  if (group !== '') errors.push(...checked(`${path}.apiGroup`, group, isDNSSubdomain))
  if (namespace !== '') errors.push(...checked(`${path}.namespace`, namespace, isDNSLabel))
  return errors
}

/** Metadata of a claim's template: labels and annotations, and nothing else. */
export function validateClaimTemplateMeta(path: string, template: Fields): FieldError[] {
  const errors = [
    ...validateAnnotations(`${path}.metadata.annotations`, annotationsOf(template)),
    ...validateLabels(`${path}.metadata.labels`, labelsOf(template)),
  ]
  for (const name of Object.keys(fieldsAt(template, 'metadata') ?? {})) {
    const go = name === 'uid' ? 'uID' : name
    if (name !== 'labels' && name !== 'annotations') errors.push(forbidden(`${path}.metadata.${go}`, 'cannot be set'))
  }
  return errors
}

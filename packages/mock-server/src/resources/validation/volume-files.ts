import { invalid, required, type FieldError } from '@freshread/core'
import { fieldsAt, isSet, numberAt, stringAt, type Fields } from '../fields.ts'
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './env.ts'
import { isUnixId } from './names.ts'
import { fileMode, nonReservedPath } from './paths.ts'

/** An error for each field that is not set. */
export function requiredFields(path: string, source: Fields, names: readonly string[]): FieldError[] {
  return names
    .filter((name) => !isSet(source, name) || source[name] === '')
    .map((name) => required(`${path}.${name}`, ''))
}

/** A key of a Secret or ConfigMap as a file. */
export function validateKeyToPath(path: string, item: Fields): FieldError[] {
  return [
    ...requiredFields(path, item, ['key', 'path']),
    ...nonReservedPath(`${path}.path`, stringAt(item, 'path')),
    ...fileMode(`${path}.mode`, numberAt(item, 'mode')),
    ...userId(`${path}.user`, numberAt(item, 'user')),
  ]
}

export function userId(path: string, user: number | undefined): FieldError[] {
  return user === undefined ? [] : isUnixId(user).map((text) => invalid(path, user, text))
}

/** A field of the pod as a file. */
export function validateDownwardFile(path: string, file: Fields): FieldError[] {
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

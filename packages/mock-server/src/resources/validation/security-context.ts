import { duplicate, forbidden, invalid, notSupported, required, tooLong, type FieldError } from '@freshread/core'
import { internalValue } from '../decode/internal-value.ts'
import { fieldsAt, isSet, isTrueAt, listAt, numberAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import { checked, isDNSSubdomain, isUnixId } from './names.ts'
import { descendingPath } from './paths.ts'

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
const MAX_PROFILE_LENGTH = 4095
const NET_SYSCTLS = /^net[./]/
const IPC_SYSCTLS = /^(kernel[./](shm|msg|sem)|fs[./]mqueue[./])/

/** `securityContext` of a container (`ValidateSecurityContext`). */
export function validateSecurityContext(path: string, context: Fields | undefined, hostUsers: boolean): FieldError[] {
  if (context === undefined) return []
  const errors: FieldError[] = []
  if (isTrueAt(context, 'privileged') && !PRIVILEGED_ALLOWED)
    errors.push(forbidden(`${path}.privileged`, 'disallowed by cluster policy'))
  errors.push(...ids(path, context, ['runAsUser', 'runAsGroup']))
  if (isSet(context, 'procMount')) {
    const mount = stringAt(context, 'procMount')
    if (mount !== 'Default' && mount !== 'Unmasked')
      errors.push(notSupported(`${path}.procMount`, mount, ['Default', 'Unmasked']))
    if (hostUsers && mount === 'Unmasked')
      errors.push(invalid(`${path}.procMount`, mount, '`hostUsers` must be false to use `Unmasked`'))
  }
  errors.push(...validateSeccomp(`${path}.seccompProfile`, fieldsAt(context, 'seccompProfile')))
  errors.push(...validateWindowsOptions(`${path}.windowsOptions`, fieldsAt(context, 'windowsOptions')))
  if (context['allowPrivilegeEscalation'] === false) {
    if (isTrueAt(context, 'privileged')) {
      errors.push(
        invalid(
          path,
          internalValue('core.SecurityContext', context),
          'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
        ),
      )
    }
    if (stringsAt(fieldsAt(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
      const text = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
      errors.push(invalid(path, internalValue('core.SecurityContext', context), text))
    }
  }
  return [...errors, ...validateAppArmor(`${path}.appArmorProfile`, fieldsAt(context, 'appArmorProfile'))]
}

/** kube-apiserver's `--allow-privileged`, whose default refuses privileged containers. */
const PRIVILEGED_ALLOWED = false

/** `securityContext` of a pod. */
export function validatePodSecurityContext(path: string, context: Fields | undefined, spec: Fields): FieldError[] {
  if (context === undefined) return []
  const errors = ids(path, context, ['fsGroup', 'runAsUser', 'runAsGroup'])
  for (const [index, group] of ((context['supplementalGroups'] ?? []) as number[]).entries()) {
    errors.push(...isUnixId(group).map((text) => invalid(`${path}.supplementalGroups[${index}]`, group, text)))
  }
  errors.push(...validateSysctls(`${path}.sysctls`, listAt(context, 'sysctls'), spec))
  errors.push(...supported(path, context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch']))
  errors.push(...validateSeccomp(`${path}.seccompProfile`, fieldsAt(context, 'seccompProfile')))
  errors.push(...validateWindowsOptions(`${path}.windowsOptions`, fieldsAt(context, 'windowsOptions')))
  errors.push(...validateAppArmor(`${path}.appArmorProfile`, fieldsAt(context, 'appArmorProfile')))
  errors.push(...supported(path, context, 'supplementalGroupsPolicy', ['Merge', 'Strict']))
  return [...errors, ...supported(path, context, 'seLinuxChangePolicy', ['MountOption', 'Recursive'])]
}

function supported(path: string, context: Fields, name: string, values: readonly string[]): FieldError[] {
  if (!isSet(context, name) || values.includes(stringAt(context, name))) return []
  return [notSupported(`${path}.${name}`, context[name], values)]
}

function ids(path: string, context: Fields, names: readonly string[]): FieldError[] {
  return names.flatMap((name) => {
    const id = numberAt(context, name)
    return id === undefined ? [] : isUnixId(id).map((text) => invalid(`${path}.${name}`, id, text))
  })
}

function validateSysctls(path: string, sysctls: readonly Fields[], spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, sysctl] of sysctls.entries()) {
    const at = `${path}[${index}].name`
    const name = stringAt(sysctl, 'name')
    if (name === '') errors.push(required(at, ''))
    else if (name.length > 253 || !new RegExp(SYSCTL).test(name)) {
      errors.push(invalid(at, name, `must have at most 253 characters and match regex ${SYSCTL}`))
    } else if (seen.has(name)) errors.push(duplicate(at, name))
    if (isTrueAt(spec, 'hostNetwork') && NET_SYSCTLS.test(name)) {
      errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"))
    } else if (isTrueAt(spec, 'hostIPC') && IPC_SYSCTLS.test(name)) {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"))
    }
    seen.add(name)
  }
  return errors
}

function validateSeccomp(path: string, profile: Fields | undefined): FieldError[] {
  if (profile === undefined) return []
  const errors = profileType(path, stringAt(profile, 'type'), 'seccompProfile')
  const local = isSet(profile, 'localhostProfile')
  if (profile['type'] === 'Localhost') {
    if (!local) errors.push(required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost'))
    else errors.push(...descendingPath(`${path}.localhostProfile`, stringAt(profile, 'localhostProfile')))
  } else if (local)
    errors.push(
      invalid(
        `${path}.localhostProfile`,
        internalValue('core.SeccompProfile', profile),
        'can only be set when seccomp type is Localhost',
      ),
    )
  return errors
}

function validateAppArmor(path: string, profile: Fields | undefined): FieldError[] {
  if (profile === undefined) return []
  const errors = profileType(path, stringAt(profile, 'type'), 'appArmorProfile')
  const at = `${path}.localhostProfile`
  const value = stringAt(profile, 'localhostProfile')
  if (profile['type'] === 'Localhost') {
    if (value.trim() !== value) errors.push(invalid(at, value, 'must not be padded with whitespace'))
    else if (value === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'))
    if (value.length > MAX_PROFILE_LENGTH) errors.push(tooLong(at, MAX_PROFILE_LENGTH))
  } else if (isSet(profile, 'localhostProfile') && errors.length === 0) {
    errors.push(invalid(at, value, 'can only be set when AppArmor type is Localhost'))
  }
  return errors
}

function profileType(path: string, type: string, field: string): FieldError[] {
  if (PROFILE_TYPES.includes(type)) return []
  if (type === '') return [required(`${path}.type`, `type is required when ${field} is set`)]
  return [notSupported(`${path}.type`, type, PROFILE_TYPES)]
}

const LONGEST_CREDENTIAL_SPEC = 64 * 1024

/** `validateWindowsSecurityContextOptions`, but for the forms of user names. */
function validateWindowsOptions(path: string, options: Fields | undefined): FieldError[] {
  if (options === undefined) return []
  const errors: FieldError[] = []
  const name = options['gmsaCredentialSpecName']
  if (typeof name === 'string') errors.push(...checked(`${path}.gmsaCredentialSpecName`, name, isDNSSubdomain))
  const spec = options['gmsaCredentialSpec']
  if (spec === '')
    errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string'))
  else if (typeof spec === 'string' && spec.length > LONGEST_CREDENTIAL_SPEC) {
    errors.push(invalid(`${path}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec size must be under 64 KiB'))
  }
  const user = options['runAsUserName']
  if (typeof user !== 'string') return errors
  const refuse = (text: string): number => errors.push(invalid(`${path}.runAsUserName`, user, text))
  const parts = user.split('\\')
  const own = parts.at(-1)!
  if (user === '') refuse('runAsUserName cannot be an empty string')
  else if (/\p{Cc}/u.test(user)) refuse('runAsUserName cannot contain control characters')
  else if (parts.length > 2) refuse('runAsUserName cannot contain more than one backslash')
  else {
    if (own === '') refuse("runAsUserName's User cannot be empty")
    if (/^[. ]+$/.test(own)) refuse("runAsUserName's User cannot contain only periods or spaces")
    if (/["/\\:;|=,+*?<>@[\]]/.test(own))
      refuse('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  }
  return errors
}

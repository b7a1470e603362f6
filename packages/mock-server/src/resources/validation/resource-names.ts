import { invalid, isLabelKey, notSupported, type FieldError } from '@freshread/core'
import { Quantity } from '../quantity.ts'
import { nonNegativeQuantity } from './common.ts'
import { checked } from './names.ts'

/*
 * Which names resources of containers, quotas and ranges may have (`pkg/apis/core/helper/helpers.go`).
 */

const CONTAINER = new Set(['cpu', 'memory', 'ephemeral-storage'])
const POD_LEVEL = ['cpu', 'memory']
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`])
const COUNTS = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const INTEGER = new Set(COUNTS)
const QUOTA = new Set([...COMPUTE, ...COUNTS, 'requests.storage'])
const STANDARD = new Set([...QUOTA, 'storage'])

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-')
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith('requests.hugepages-')
}

/** In the `kubernetes.io` namespace, which names without a prefix are too. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && isLabelKey(`requests.${name}`).length === 0
}

/** Whether requests may be less than limits. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name)
}

export function isStandardQuotaResource(name: string): boolean {
  return QUOTA.has(name) || isQuotaHugePages(name)
}

export function validateResourceName(path: string, name: string): FieldError[] {
  const errors = checked(path, name, isLabelKey)
  if (errors.length > 0) return errors
  if (name.includes('/') || STANDARD.has(name) || isQuotaHugePages(name)) return []
  return [invalid(path, name, 'must be a standard resource type or fully qualified')]
}

export function validateContainerResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name)
  if (!name.includes('/')) {
    if (!CONTAINER.has(name) && !isHugePages(name)) {
      errors.push(invalid(path, name, 'must be a standard resource for containers'))
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"))
  }
  return errors
}

/** Resources of a whole pod. */
export function validatePodResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name)
  if (errors.length > 0 || POD_LEVEL.includes(name) || isHugePages(name)) return errors
  return [notSupported(path, name, ['cpu', 'hugepages-', 'memory'])]
}

export function validateQuotaResourceName(path: string, name: string): FieldError[] {
  const errors = validateResourceName(path, name)
  if (!name.includes('/') && !isStandardQuotaResource(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'))
  return errors
}

/** An amount of a resource: not negative, and whole where there are no parts of it. */
export function validateResourceQuantity(path: string, name: string, text: string): FieldError[] {
  const errors = nonNegativeQuantity(path, text)
  if ((INTEGER.has(name) || isExtendedResource(name)) && Quantity.parse(text).milliValue % 1000n !== 0n) {
    errors.push(invalid(path, text, 'must be an integer'))
  }
  return errors
}

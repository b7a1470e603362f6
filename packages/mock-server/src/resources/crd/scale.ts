import type { FieldError, KubeObject } from '@freshread/core'
import type { ScaleAccess } from '../resource.ts'
import { copyJson } from './defaulting.ts'
import { invalid } from './field-errors.ts'
import { goTypeName, goValue } from '../../go/text.ts'
import { isObject, type CustomResourceSubresourceScale } from './types.ts'

/** The `scale` subresource of custom resources (`pkg/registry/customresource: etcd.go, validator.go`). */

const maxInt32 = 2 ** 31 - 1

/** `.spec.replicas` as names. */
function split(path: string): string[] {
  return (path.startsWith('.') ? path.slice(1) : path).split('.')
}

/** `unstructured.NestedFieldNoCopy`; undefined where there is nothing. */
function nested(object: KubeObject, names: readonly string[]): unknown {
  let value: unknown = object
  for (const [i, name] of names.entries()) {
    if (value === null || value === undefined) return undefined
    if (!isObject(value)) {
      const path = names.slice(0, i + 1).join('.')
      throw new Error(
        `.${path} accessor error: ${goValue(value)} is of the type ${goTypeName(value)}, expected map[string]interface{}`,
      )
    }
    if (!Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function nestedOfType<T>(
  object: KubeObject,
  names: readonly string[],
  type: string,
  is: (value: unknown) => value is T,
): T | undefined {
  const value = nested(object, names)
  if (value === undefined || is(value)) return value
  throw new Error(
    `.${names.join('.')} accessor error: ${goValue(value)} is of the type ${goTypeName(value)}, expected ${type}`,
  )
}

const isInteger = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value)
const isString = (value: unknown): value is string => typeof value === 'string'

/** How to read and write the replicas of objects that have their scale at these paths. */
export function scaleAccess(scale: CustomResourceSubresourceScale): ScaleAccess {
  const spec = split(scale.specReplicasPath ?? '')
  const status = split(scale.statusReplicasPath ?? '')
  const selector = scale.labelSelectorPath ? split(scale.labelSelectorPath) : undefined
  return {
    specReplicasPath: spec,
    read: (object) => ({
      replicas: nestedOfType(object, spec, 'int64', isInteger),
      statusReplicas: nestedOfType(object, status, 'int64', isInteger) ?? 0,
      selector: selector === undefined ? '' : (nestedOfType(object, selector, 'string', isString) ?? ''),
    }),
    write: (object, replicas) => {
      const copy = copyJson(object)
      let at: Record<string, unknown> = copy
      for (const name of spec.slice(0, -1)) {
        const below = at[name]
        if (below !== undefined && !isObject(below))
          throw new Error(`value cannot be set because .${spec.join('.')} is not a map[string]interface{}`)
        at = isObject(below) ? below : ((at[name] = {}) as Record<string, unknown>)
      }
      at[spec.at(-1)!] = replicas
      return copy
    },
  }
}

/** Validates the wanted replicas. */
export function validateScaleSpec(object: KubeObject, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  return scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath ?? '')
}

/** Validates what the status says of replicas. */
export function validateScaleStatus(
  object: KubeObject,
  scale: CustomResourceSubresourceScale | undefined,
): FieldError[] {
  if (scale === undefined) return []
  const errors = validateReplicas(object, scale.statusReplicasPath ?? '')
  const { labelSelectorPath } = scale
  if (labelSelectorPath === undefined) return errors
  try {
    nestedOfType(object, split(labelSelectorPath), 'string', isString)
  } catch (error) {
    errors.push(invalid(labelSelectorPath, '', (error as Error).message))
  }
  return errors
}

function validateReplicas(object: KubeObject, path: string): FieldError[] {
  try {
    const replicas = nestedOfType(object, split(path), 'int64', isInteger) ?? 0
    if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')]
    if (replicas > maxInt32) return [invalid(path, replicas, `should be less than or equal to ${maxInt32}`)]
    return []
  } catch (error) {
    return [invalid(path, 0, (error as Error).message)]
  }
}

import { newInvalid, type KubeObject } from '@freshread/core'
import type { StrategyContext } from '../resources/strategy.ts'
import { isDNSSubdomain, isPathSegmentName } from '../resources/validation/names.ts'
import { chargeQuotas } from './admission/quota.ts'
import { ensureNamespace } from './object-meta.ts'
import { isKubeKind, validateKubeFinalizers, validateObjectMeta } from './object-meta-validation.ts'
import type { RequestScope } from './scope.ts'
import { withoutDuplicates } from './validation-errors.ts'

/**
 * Makes an object ready to be stored for the first time (`pkg/registry/rest/create.go: BeforeCreate`): the kind
 * prepares it, then everything is validated. Changes `object`; throws the 422.
 */
export async function beforeCreate(scope: RequestScope, object: KubeObject, context: StrategyContext): Promise<void> {
  const { resource } = scope
  const { strategy } = resource
  ensureNamespace(object.metadata, resource.namespaced ? scope.namespace : '')
  await strategy.prepareForCreate?.(object, context)
  if (resource.builtIn && typeof strategy.generation === 'function') object.metadata.generation = 1

  const errors = withoutDuplicates(
    [
      ...(strategy.metadataLast === true
        ? []
        : validateObjectMeta(object.metadata, resource.namespaced, strategy.validateName ?? isDNSSubdomain)),
      ...(isKubeKind(resource) ? validateKubeFinalizers(object.metadata) : []),
      ...(strategy.validate?.(object, context) ?? []),
    ],
    resource.group,
  )
  if (errors.length === 0) errors.push(...validateObjectMeta(object.metadata, resource.namespaced, isPathSegmentName))
  if (errors.length > 0) throw newInvalid(strategy.errorKind ?? resource, object.metadata.name ?? '', errors)
  await strategy.validateAdmission?.(object, undefined, context)
  await chargeQuotas(scope, object, context.dryRun)
  strategy.canonicalize?.(object)
  for (const text of strategy.warnings?.(object, undefined, context) ?? []) scope.warnings.add(text)
}

import type { Strategy } from '../strategy.ts'
import { deepEqual } from './correlated-object.ts'
import { definitionWarnings } from './definition/warnings.ts'
import { validateDefinition, validateDefinitionStatusUpdate, validateDefinitionUpdate } from './definition/validate.ts'
import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from './types.ts'

const servicePort = 443

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** What is particular to CustomResourceDefinitions (`pkg/registry/customresourcedefinition: strategy.go`). */
export const definitionStrategy: Strategy = {
  setDefaults: (object) => setDefinitionDefaults(object),
  prepareForCreate: (object) => {
    const crd: CustomResourceDefinition = object
    crd.status = withStoredVersion({}, crd.spec ?? {})
    crd.metadata.generation = 1
  },
  prepareForUpdate: (object, current, context) => {
    const crd: CustomResourceDefinition = object
    const old: CustomResourceDefinition = current
    if (context.subresource === 'status') {
      crd.spec = structuredClone(old.spec ?? {})
      return
    }
    if (!deepEqual(crd.spec, old.spec)) crd.metadata.generation = (old.metadata.generation ?? 0) + 1
    crd.status = withStoredVersion(structuredClone(old.status ?? {}), crd.spec ?? {})
  },
  validate: (object) => validateDefinition(object),
  validateUpdate: (object, current, context) =>
    context.subresource === 'status'
      ? validateDefinitionStatusUpdate(object)
      : validateDefinitionUpdate(object, current),
  warnings: (object, current) => definitionWarnings(object, current),
  allowUnconditionalUpdate: false,
  hasStatus: true,
}

/** Defaults of a definition (`pkg/apis/apiextensions/v1: defaults.go`). */
export function setDefinitionDefaults(crd: CustomResourceDefinition): void {
  const spec: Mutable<CustomResourceDefinitionSpec> | undefined = crd.spec
  if (spec === undefined || spec === null) return
  spec.names = namesWithDefaults(spec.names ?? {})
  const conversion: Mutable<CustomResourceConversion> = (spec.conversion ??= { strategy: 'None' })
  const service = conversion.webhook?.clientConfig?.service as { port?: number } | undefined
  if (service !== undefined && service !== null) service.port ??= servicePort
  const stored = spec.versions?.find((version) => version.storage === true)?.name
  const status: Mutable<CustomResourceDefinitionStatus> | undefined = crd.status
  if (status && (status.storedVersions ?? []).length === 0 && stored !== undefined) status.storedVersions = [stored]
}

/** In the order of Go's fields. */
function namesWithDefaults(names: CustomResourceDefinitionNames): CustomResourceDefinitionNames {
  const { plural, singular, shortNames, kind = '', listKind, ...rest } = names
  const ofList = listKind || (kind === '' ? '' : `${kind}List`)
  return {
    ...(plural !== undefined && { plural }),
    singular: singular || kind.toLowerCase(),
    ...(shortNames !== undefined && { shortNames }),
    kind,
    ...(ofList !== '' && { listKind: ofList }),
    ...rest,
  }
}

/** Notes the version that objects are stored in from now on. */
function withStoredVersion(
  status: CustomResourceDefinitionStatus,
  spec: CustomResourceDefinitionSpec,
): CustomResourceDefinitionStatus {
  const versions = status.storedVersions ?? []
  const name = spec.versions?.find((version) => version.storage === true)?.name
  const storedVersions = name === undefined || versions.includes(name) ? status.storedVersions : [...versions, name]
  const { acceptedNames = { plural: '', kind: '' }, conditions = null } = status
  return { conditions, acceptedNames, storedVersions: storedVersions ?? null }
}

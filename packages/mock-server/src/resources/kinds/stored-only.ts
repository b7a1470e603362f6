import { goQuote, invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, numberAt, semanticEqual, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { validatePodTemplate } from '../validation/pod-spec.ts'
import { declaredImmutable, immutable, nonNegative } from '../validation/common.ts'
import { validateCanonicalIP } from '../validation/ip.ts'
import { isMain, selectable, specChanged, specOf } from './common.ts'

/*
 * Kinds of which little but how they are written is known: generations, and what a PUT may do.
 */

/** Kinds that count generations of their `spec` (`pkg/registry/flowcontrol`, `pkg/registry/resource`). */
export const specOnly: Strategy = { generation: specChanged }

/** ResourceClaims, of which only the status changes (`pkg/registry/resource/resourceclaim/strategy.go`). */
export const resourceClaim: Strategy = {
  validateUpdate: (object, current, context) =>
    isMain(context) ? declaredImmutable('spec', object['spec'], current['spec']) : [],
}

/** ResourceSlices (`pkg/registry/resource/resourceslice/strategy.go`). */
export const resourceSlice: Strategy = {
  ...specOnly,
  ...selectable(
    (object) => ({
      'spec.driver': stringAt(specOf(object), 'driver'),
      'spec.nodeName': stringAt(specOf(object), 'nodeName'),
    }),
    ['spec.driver', 'spec.nodeName'],
  ),
  fieldLabelError: (label) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${label}`,
}

/** Kinds that a PUT replaces only with the version that it replaces. */
export const conditionalOnly: Strategy = { allowUnconditionalUpdate: false }

/** ControllerRevisions (`pkg/registry/apps/controllerrevision/strategy.go`). */
export const controllerRevision: Strategy = {
  validate: (object) => [...validateRevision(object), ...validateData(object['data'])],
  validateUpdate: (object, current) => [
    ...validateRevision(object),
    ...immutable('data', object['data'], current['data']),
  ],
}

function validateRevision(object: KubeObject): FieldError[] {
  return nonNegative('revision', numberAt(object, 'revision'))
}

function validateData(data: unknown): FieldError[] {
  if (data == null) return [required('data', 'data is mandatory')]
  return typeof data === 'object' && !Array.isArray(data) ? [] : [required('data', 'data must be a valid JSON object')]
}

/** IPAddresses, which are called what they are. */
export const ipAddress: Strategy = {
  validateName: (name) =>
    validateCanonicalIP('', name).map(({ body }) => body.slice(`Invalid value: ${goQuote(name)}: `.length)),
}

/** ClusterTrustBundles, of which what is between the lines of PEM is taken on trust. */
export const clusterTrustBundle: Strategy = {
  validate: validateTrustBundle,
  validateUpdate: validateTrustBundle,
}

const PEM_BLOCK = /^-----BEGIN ([^\n]*)-----$[^]*?^-----END \1-----$/gm

function validateTrustBundle(object: KubeObject): FieldError[] {
  const path = 'spec.trustBundle'
  const types = [...stringAt(fieldsAt(object, 'spec'), 'trustBundle').matchAll(PEM_BLOCK)].map((match) => match[1]!)
  if (types.length === 0) return [invalid(path, '<value omitted>', 'at least one trust anchor must be provided')]
  return types.flatMap((type, i) =>
    type === 'CERTIFICATE' ? [] : [invalid(path, '<value omitted>', `entry ${i} has bad block type: ${type}`)],
  )
}

/** PodTemplates (`pkg/registry/core/podtemplate/strategy.go`). */
export const podTemplate: Strategy = {
  generation: (object: KubeObject, current: KubeObject) => !semanticEqual(object['template'], current['template']),
  validate: (object) => validatePodTemplate('template', fieldsAt(object, 'template') ?? {}),
  validateUpdate: (object) => validatePodTemplate('template', fieldsAt(object, 'template') ?? {}),
}

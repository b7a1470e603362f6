import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
  type KubeObject,
} from '@freshread/core'
import { fieldsAt, isSet, listAt, stringAt, stringsAt, type Fields } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import {
  FAILURE_POLICIES,
  supported,
  validateMatchConditions,
  validateMatchResources,
} from '../validation/admission-rules.ts'
import { validateLabelSelector } from '../validation/labels.ts'
import { checked, isDNSSubdomain, isPathSegmentName, qualifiedName } from '../validation/names.ts'
import { specChanged, specOf } from './common.ts'

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const ACTIONS = ['Audit', 'Deny', 'Warn']
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item'
const BOTH_ACTIONS =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response ' +
  'and headers serves no purpose)'

/** ValidatingAdmissionPolicies, which are stored but not run (`pkg/registry/admissionregistration`). */
export const validatingAdmissionPolicy: Strategy = {
  generation: specChanged,
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object['status'] = {}
  },
  validate: validatePolicy,
  validateUpdate: (object, _current, context) => (context.subresource === '' ? validatePolicy(object) : []),
}

/** MutatingAdmissionPolicies and their bindings, of which less is checked. */
export const mutatingAdmissionPolicy: Strategy = { generation: specChanged, allowUnconditionalUpdate: false }

/** ValidatingAdmissionPolicyBindings. */
export const validatingAdmissionPolicyBinding: Strategy = {
  generation: specChanged,
  allowUnconditionalUpdate: false,
  validate: validateBinding,
  validateUpdate: validateBinding,
}

function validatePolicy(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const errors = isSet(spec, 'failurePolicy') ? [] : [required('spec.failurePolicy', '')]
  errors.push(...supported('spec', spec, 'failurePolicy', FAILURE_POLICIES))
  const kind = fieldsAt(spec, 'paramKind')
  if (kind !== undefined) {
    for (const name of ['apiVersion', 'kind'])
      if (stringAt(kind, name) === '') errors.push(required(`spec.paramKind.${name}`, ''))
  }
  const match = fieldsAt(spec, 'matchConstraints')
  if (match === undefined) errors.push(required('spec.matchConstraints', ''))
  else {
    errors.push(...validateMatchResources('spec.matchConstraints', match))
    if (listAt(match, 'resourceRules').length === 0) errors.push(required('spec.matchConstraints.resourceRules', ''))
  }
  errors.push(...validateMatchConditions('spec.matchConditions', listAt(spec, 'matchConditions')))
  listAt(spec, 'variables').forEach((variable, i) => {
    for (const name of ['name', 'expression']) {
      if (stringAt(variable, name).trim() === '')
        errors.push(required(`spec.variables[${i}].${name}`, `${name} is not specified`))
    }
  })
  const [validations, annotations] = [listAt(spec, 'validations'), listAt(spec, 'auditAnnotations')]
  if (validations.length === 0 && annotations.length === 0) {
    return [...errors, required('spec.validations', NOTHING_TO_DO), required('spec.auditAnnotations', NOTHING_TO_DO)]
  }
  validations.forEach((validation, i) => errors.push(...validateValidation(`spec.validations[${i}]`, validation)))
  const keys = annotations.map((annotation) => stringAt(annotation, 'key'))
  annotations.forEach((annotation, i) => {
    const path = `spec.auditAnnotations[${i}]`
    errors.push(...qualifiedName(`${path}.key`, `${object.metadata.name ?? ''}/${keys[i]!}`))
    if (stringAt(annotation, 'valueExpression').trim() === '') {
      errors.push(required(`${path}.valueExpression`, 'valueExpression is not specified'))
    }
    if (keys.indexOf(keys[i]!) < i) errors.push(duplicate(`${path}.key`, keys[i]))
  })
  return errors
}

function validateValidation(path: string, validation: Fields): FieldError[] {
  const errors: FieldError[] = []
  if (stringAt(validation, 'expression').trim() === '') {
    errors.push(required(`${path}.expression`, 'expression is not specified'))
  }
  const [message, messageExpression] = [stringAt(validation, 'message'), stringAt(validation, 'messageExpression')]
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'))
  }
  if (message !== '' && message.trim() === '')
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  return [...errors, ...supported(path, validation, 'reason', REASONS)]
}

function validateBinding(object: KubeObject): FieldError[] {
  const spec = specOf(object)
  const policy = stringAt(spec, 'policyName')
  const errors = policy === '' ? [required('spec.policyName', '')] : checked('spec.policyName', policy, isDNSSubdomain)
  const params = fieldsAt(spec, 'paramRef')
  if (params !== undefined) errors.push(...validateParams('spec.paramRef', params))
  errors.push(...validateMatchResources('spec.matchResources', fieldsAt(spec, 'matchResources')))
  const actions = stringsAt(spec, 'validationActions')
  const path = 'spec.validationActions'
  actions.forEach((action, i) => {
    if (!ACTIONS.includes(action)) errors.push(notSupported(`${path}[${i}]`, action, ACTIONS))
    if (actions.indexOf(action) < i) errors.push(duplicate(`${path}[${i}]`, action))
  })
  if (actions.includes('Deny') && actions.includes('Warn')) errors.push(invalid(path, actions, BOTH_ACTIONS))
  return actions.length === 0 ? [...errors, required(path, '')] : errors
}

function validateParams(path: string, params: Fields): FieldError[] {
  const errors: FieldError[] = []
  const name = stringAt(params, 'name')
  const selector = fieldsAt(params, 'selector')
  if (name !== '') errors.push(...checked(`${path}.name`, name, isPathSegmentName))
  errors.push(...validateLabelSelector(`${path}.selector`, selector))
  if (name !== '' && selector !== undefined) {
    const text = 'name and selector are mutually exclusive'
    errors.push(forbidden(`${path}.name`, text), forbidden(`${path}.selector`, text))
  }
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'))
  if (stringAt(params, 'parameterNotFoundAction') === '')
    return [...errors, required(`${path}.parameterNotFoundAction`, '')]
  return [...errors, ...supported(path, params, 'parameterNotFoundAction', ['Deny', 'Allow'])]
}

import { invalid, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, numberAt, semanticEqual, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { immutable, immutableInternal } from '../validation/common.ts'
import { isDNSSubdomain, isPathSegmentName, qualifiedName } from '../validation/names.ts'
import { selectable } from './common.ts'

const LONGEST_FIELD = 128
const LONGEST_MESSAGE = 1024
const IMMUTABLE_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
]
/** Fields that errors show as the internal type prints them. */
const INTERNAL_TYPES: Readonly<Record<string, string>> = {
  involvedObject: 'core.ObjectReference',
  related: '*core.ObjectReference',
  source: 'core.EventSource',
}
const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** Events of core/v1, of which little is asked (`pkg/registry/core/event/strategy.go`). */
export const event: Strategy = {
  allowCreateOnUpdate: true,
  validateName: isPathSegmentName,
  metadataLast: true,
  validate: (object) => validateAlways(object, 'reportingComponent'),
  validateUpdate: (object) => validateAlways(object, 'reportingComponent'),
  ...selectable(
    (object) => {
      const involved = fieldsAt(object, 'involvedObject')
      const reporter = stringAt(object, 'reportingComponent')
      return {
        ...Object.fromEntries(INVOLVED.map((name) => [`involvedObject.${name}`, stringAt(involved, name)])),
        reason: stringAt(object, 'reason'),
        reportingComponent: reporter,
        source: stringAt(fieldsAt(object, 'source'), 'component') || reporter,
        type: stringAt(object, 'type'),
      }
    },
    [...INVOLVED.map((name) => `involvedObject.${name}`), 'reason', 'reportingComponent', 'source', 'type'],
  ),
}

const GROUP_LABELS: Readonly<Record<string, string>> = {
  reason: 'reason',
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
  reportingController: 'reportingComponent',
  type: 'type',
}

/** Events of events.k8s.io/v1, which are checked strictly; stored as core/v1. */
export const groupEvent: Strategy = {
  ...event,
  validateName: isDNSSubdomain,
  errorKind: { group: '', kind: 'Event' },
  fieldLabels: GROUP_LABELS,
  validate: (object) => [...validateAlways(object, 'reportingController'), ...validateStrictly(object)],
  validateUpdate(object, current) {
    const errors = validateAlways(object, 'reportingController')
    if (!semanticEqual(object['series'], current['series'])) errors.push(...validateSeries(object))
    for (const name of IMMUTABLE_FIELDS) {
      const [type, value, before] = [INTERNAL_TYPES[name], object[name], current[name]]
      errors.push(
        ...(type === undefined ? immutable(name, value, before) : immutableInternal(name, type, value, before)),
      )
    }
    errors.push(...immutable('reportingController', object['reportingComponent'], current['reportingComponent']))
    return [...errors, ...immutable('reportingInstance', object['reportingInstance'], current['reportingInstance'])]
  },
}

function validateAlways(object: KubeObject, reporterField: string): FieldError[] {
  const { namespace = '' } = object.metadata
  const about = stringAt(fieldsAt(object, 'involvedObject'), 'namespace')
  const mismatch = invalid('involvedObject.namespace', about, 'does not match event.namespace')
  if (object['eventTime'] == null) {
    const matches = about === '' ? namespace === '' || namespace === 'default' : namespace === about
    return matches ? [] : [mismatch]
  }
  const errors: FieldError[] = []
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch)
  const reporter = stringAt(object, 'reportingComponent')
  if (reporter === '') errors.push(required(reporterField, ''))
  errors.push(...qualifiedName(reporterField, reporter))
  for (const name of ['reportingInstance', 'action', 'reason']) {
    const value = stringAt(object, name)
    if (value === '') errors.push(required(name, ''))
    if (value.length > LONGEST_FIELD) errors.push(invalid(name, '', `can have at most ${LONGEST_FIELD} characters`))
  }
  if (stringAt(object, 'message').length > LONGEST_MESSAGE) {
    errors.push(invalid('message', '', `can have at most ${LONGEST_MESSAGE} characters`))
  }
  return errors
}

function validateStrictly(object: KubeObject): FieldError[] {
  const errors = validateSeries(object)
  if (object['eventTime'] == null) errors.push(required('eventTime', ''))
  const type = stringAt(object, 'type')
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`))
  for (const name of ['firstTimestamp', 'lastTimestamp']) {
    if (object[name] != null) errors.push(invalid(name, '', 'needs to be unset'))
  }
  if ((numberAt(object, 'count') ?? 0) !== 0) errors.push(invalid('count', '', 'needs to be unset'))
  const source = fieldsAt(object, 'source')
  if (stringAt(source, 'component') !== '' || stringAt(source, 'host') !== '')
    errors.push(invalid('source', '', 'needs to be unset'))
  return errors
}

function validateSeries(object: KubeObject): FieldError[] {
  const series = fieldsAt(object, 'series')
  if (series === undefined) return []
  const errors: FieldError[] = []
  if ((numberAt(series, 'count') ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (series['lastObservedTime'] == null) errors.push(required('series.lastObservedTime', ''))
  return errors
}

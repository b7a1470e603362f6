import { invalid, omitValue, required, type FieldError, type KubeObject } from '@freshread/core'
import { isSet, isTrueAt, listAt, numberAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import { counts } from '../validation/status.ts'
import { specOf, statusOf } from './common.ts'

/** What the status of a job may say (`pkg/apis/batch/validation: ValidateJobUpdateStatus`). */
export function validateJobStatus(object: KubeObject, current: KubeObject): FieldError[] {
  const status = statusOf(object)
  const before = statusOf(current)
  const spec = specOf(object)
  const errors = counts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'])
  const has = (type: string): boolean =>
    listAt(status, 'conditions').some((c) => c['type'] === type && c['status'] === 'True')
  const had = (type: string): boolean =>
    listAt(before, 'conditions').some((c) => c['type'] === type && c['status'] === 'True')
  const conditions = (text: string): void => void errors.push(invalid('status.conditions', omitValue, text))
  const complete = has('Complete')
  const failed = has('Failed')
  const finished = complete || failed
  const newlyFinished =
    finished !== (had('Complete') || had('Failed')) && !(isTrueAt(spec, 'suspend') && spec['completions'] === 0)
  if (complete && failed) conditions('cannot set Complete=True and Failed=true conditions')
  if (complete && has('FailureTarget')) conditions('cannot set Complete=True and FailureTarget=true conditions')
  if (isSet(status, 'completionTime') && !complete) {
    const text = 'cannot set completionTime when there is no Complete=True condition'
    errors.push(invalid('status.completionTime', status['completionTime'], text))
  }
  if (!isSet(status, 'completionTime') && complete) {
    errors.push(required('status.completionTime', 'completionTime is required for Complete jobs'))
  }
  if (
    isSet(status, 'startTime') &&
    isSet(status, 'completionTime') &&
    String(status['completionTime']) < String(status['startTime'])
  ) {
    errors.push(invalid('status.completionTime', status['completionTime'], 'must be equal to or after `startTime`'))
  }
  if (failed && !has('FailureTarget') && failed !== had('Failed'))
    conditions('cannot set Failed=True condition without the FailureTarget=true condition')
  if (complete && !has('SuccessCriteriaMet') && complete !== had('Complete')) {
    conditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  }
  const active = numberAt(status, 'active') ?? 0
  if (finished && active > 0) errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'))
  if (finished && newlyFinished && !isSet(status, 'startTime')) {
    errors.push(required('status.startTime', 'startTime is required for finished job'))
  }
  const ready = numberAt(status, 'ready') ?? 0
  const activityChanged = ready !== (numberAt(before, 'ready') ?? 0) || active !== (numberAt(before, 'active') ?? 0)
  if (activityChanged && ready > active)
    errors.push(invalid('status.ready', ready, 'cannot set more ready pods than active'))
  const indexes = stringAt(status, 'completedIndexes')
  if (indexes !== '' && spec['completionMode'] !== 'Indexed' && indexes !== stringAt(before, 'completedIndexes')) {
    const text = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.push(invalid('status.completedIndexes', indexes, text))
  }
  if (has('SuccessCriteriaMet') && failed) conditions('cannot set SuccessCriteriaMet=True and Failed=true conditions')
  if (has('SuccessCriteriaMet') && has('FailureTarget'))
    conditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  return [...errors, ...statusChange(status, before, spec, had, has)]
}

/** What may not be taken back (`ValidateJobStatusUpdate`). */
function statusChange(
  status: Fields,
  before: Fields,
  spec: Fields,
  had: (type: string) => boolean,
  has: (type: string) => boolean,
): FieldError[] {
  const errors: FieldError[] = []
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (had(type) && !has(type))
      errors.push(invalid('status.conditions', omitValue, `cannot disable the terminal ${type}=True condition`))
  }
  if (had('SuccessCriteriaMet') && !has('SuccessCriteriaMet')) {
    errors.push(invalid('status.conditions', omitValue, 'cannot disable the SuccessCriteriaMet=True condition'))
  }
  if (had('Complete') && !had('SuccessCriteriaMet') && has('SuccessCriteriaMet')) {
    const text = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'
    errors.push(invalid('status.conditions', omitValue, text))
  }
  const indexed = spec['completionMode'] === 'Indexed'
  const [succeeded, oldSucceeded] = [numberAt(status, 'succeeded') ?? 0, numberAt(before, 'succeeded') ?? 0]
  if (succeeded < oldSucceeded && (!indexed || spec['completions'] !== spec['parallelism'])) {
    errors.push(invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter'))
  }
  const [failed, oldFailed] = [numberAt(status, 'failed') ?? 0, numberAt(before, 'failed') ?? 0]
  if (failed < oldFailed) errors.push(invalid('status.failed', failed, 'cannot decrease the failed counter'))
  if (
    isSet(before, 'completionTime') &&
    isSet(status, 'completionTime') &&
    before['completionTime'] !== status['completionTime']
  ) {
    errors.push(invalid('status.completionTime', status['completionTime'], 'field is immutable'))
  }
  const resumed =
    listAt(status, 'conditions').some((c) => c['type'] === 'Suspended' && c['status'] === 'False') && had('Suspended')
  const started = isSet(before, 'startTime') && !semanticEqual(before['startTime'], status['startTime'])
  if (started && !isTrueAt(spec, 'suspend') && !resumed) {
    errors.push(
      invalid('status.startTime', status['startTime'] ?? null, 'field is immutable for unsuspended job once set'),
    )
  }
  return errors
}

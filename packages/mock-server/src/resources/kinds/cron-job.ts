import { invalid, notSupported, required, type FieldError, type KubeObject } from '@freshread/core'
import { fieldsAt, isSet, isTrueAt, numberAt, semanticEqual, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { nonNegative, oneOf } from '../validation/common.ts'
import { cronError } from '../validation/cron.ts'
import { resetStatus, specChanged, specOf } from './common.ts'
import { jobWarnings, validateJobSpec } from './job.ts'
import { podNameWarning } from './workload.ts'

/** Names of jobs add eleven characters to their CronJob's. */
const MAX_NAME_LENGTH = 52

/** CronJobs (`pkg/registry/batch/cronjob/strategy.go`). */
export const cronJob: Strategy = {
  prepareForCreate: resetStatus('api.batch.v1.CronJobStatus'),
  generation: specChanged,
  validate(object) {
    const { name = '' } = object.metadata
    const errors = validateSpec(object, undefined)
    if (name.length > MAX_NAME_LENGTH)
      errors.push(invalid('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`))
    return errors
  },
  validateUpdate: (object, current, context) => (context.subresource === 'status' ? [] : validateSpec(object, current)),
  warnings(object, current) {
    const warnings = [...podNameWarning(object, current)]
    const template = fieldsAt(fieldsAt(specOf(object), 'jobTemplate'), 'spec') ?? {}
    if (current === undefined || !semanticEqual(object['spec'], current['spec'])) {
      warnings.push(...jobWarnings('spec.jobTemplate.spec', template))
    }
    if (current !== undefined && stringAt(specOf(object), 'schedule').includes('TZ')) {
      const more = 'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'
      warnings.push(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, ${more}`)
    }
    return warnings
  },
}

function validateSpec(object: KubeObject, current: KubeObject | undefined): FieldError[] {
  const spec = specOf(object)
  const before = current === undefined ? undefined : specOf(current)
  const errors: FieldError[] = []
  const schedule = stringAt(spec, 'schedule')
  const zone = isSet(spec, 'timeZone') ? stringAt(spec, 'timeZone') : undefined
  if (schedule === '') errors.push(required('spec.schedule', ''))
  else {
    const error = cronError(schedule)
    if (error !== undefined) errors.push(invalid('spec.schedule', schedule, error))
    const hadZone = stringAt(before, 'schedule').includes('TZ')
    if (schedule.includes('TZ') && (!hadZone || zone !== undefined)) {
      const text = hadZone
        ? 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
        : 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
      errors.push(invalid('spec.schedule', schedule, text))
    }
  }
  errors.push(...nonNegative('spec.startingDeadlineSeconds', numberAt(spec, 'startingDeadlineSeconds')))
  if (zone !== undefined && zone !== before?.['timeZone']) errors.push(...validateTimeZone(zone))
  errors.push(...oneOf('spec.concurrencyPolicy', stringAt(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']))
  const job = fieldsAt(fieldsAt(spec, 'jobTemplate'), 'spec') ?? {}
  const path = 'spec.jobTemplate.spec'
  errors.push(...validateJobSpec(path, job))
  if (isSet(job, 'selector'))
    errors.push(invalid(`${path}.selector`, job['selector'], '`selector` will be auto-generated'))
  if (isTrueAt(job, 'manualSelector')) errors.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']))
  errors.push(...nonNegative('spec.successfulJobsHistoryLimit', numberAt(spec, 'successfulJobsHistoryLimit')))
  return [...errors, ...nonNegative('spec.failedJobsHistoryLimit', numberAt(spec, 'failedJobsHistoryLimit'))]
}

function validateTimeZone(zone: string): FieldError[] {
  const path = 'spec.timeZone'
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')]
  const parts = zone.split('/')
  const bad = (part: string): boolean =>
    part === '.' || part === '..' || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part) || part.startsWith('-')
  if (parts.some(bad)) return [invalid(path, zone, `unknown time zone ${zone}`)]
  if (zone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    return [invalid(path, zone, text), ...(zone === 'Local' ? [] : [invalid(path, zone, `unknown time zone ${zone}`)])]
  }
  return isKnownTimeZone(zone) ? [] : [invalid(path, zone, `unknown time zone ${zone}`)]
}

/** The platform's own zones; Kubernetes asks its host's database. */
function isKnownTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format()
    return true
  } catch {
    return false
  }
}

import { StatusError } from '@freshread/core'

/** A Status of 500 without a reason, as errors get that are not of the API's own kind. */
export function plainError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 })
}

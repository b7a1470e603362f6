import type { FieldError } from '@freshread/core'
import { parseUrl } from '../../../go/url.ts'
import { isDNS1035Label, isDNSSubdomain } from '../../validation/names.ts'
import { child, forbidden, index, invalid, oneOf, required, type FieldPath } from '../field-errors.ts'
import type { CustomResourceConversion } from '../types.ts'
import type { ValidationOptions } from './validation-options.ts'

/** How objects get from one version to another (`ValidateCustomResourceConversion`). */
export function validateConversion(
  conversion: CustomResourceConversion | undefined,
  options: Pick<ValidationOptions, 'requireRecognizedConversionReviewVersion'>,
  path: FieldPath,
): FieldError[] {
  if (conversion === undefined) return []
  const { strategy = '', webhook } = conversion
  const errors = oneOf(child(path, 'strategy'), strategy, ['None', 'Webhook'])
  const config = webhook?.clientConfig
  const configPath = child(path, 'webhookClientConfig')
  const reviewPath = child(path, 'conversionReviewVersions')
  const reviewVersions = webhook?.conversionReviewVersions ?? []
  if (strategy !== 'Webhook') {
    const message = 'should not be set when strategy is not set to Webhook'
    if (config !== undefined) errors.push(forbidden(configPath, message))
    if (reviewVersions.length > 0) errors.push(forbidden(reviewPath, message))
    return errors
  }
  if (config === undefined) errors.push(required(configPath, 'required when strategy is set to Webhook'))
  else if ((config.url === undefined) === (config.service === undefined)) {
    errors.push(required(configPath, 'exactly one of url or service is required'))
  } else if (config.url !== undefined) errors.push(...validateWebhookUrl(child(configPath, 'url'), config.url))
  else {
    // Upstream hands name and namespace over in the wrong order.
    const { name = '', namespace = '', path: urlPath, port = 443 } = config.service!
    const at = child(configPath, 'service')
    if (namespace === '') errors.push(required(child(at, 'namespace')))
    if (name === '') errors.push(required(child(at, 'name')))
    if (port < 1 || port > 65535) {
      errors.push(invalid(child(at, 'port'), port, 'port is not valid: must be between 1 and 65535, inclusive'))
    }
    if (urlPath !== undefined) errors.push(...validateWebhookPath(child(at, 'path'), urlPath))
  }
  if (reviewVersions.length === 0) errors.push(required(reviewPath))
  const seen = new Set<string>()
  for (const [i, version] of reviewVersions.entries()) {
    if (seen.has(version)) errors.push(invalid(index(reviewPath, i), version, 'duplicate version'))
    else for (const problem of isDNS1035Label(version)) errors.push(invalid(index(reviewPath, i), version, problem))
    seen.add(version)
  }
  const recognized = seen.has('v1') || seen.has('v1beta1')
  if (reviewVersions.length > 0 && options.requireRecognizedConversionReviewVersion && !recognized) {
    errors.push(invalid(reviewPath, reviewVersions, 'must include at least one of v1, v1beta1'))
  }
  return errors
}

function validateWebhookUrl(path: FieldPath, text: string): FieldError[] {
  const form = '; desired format: https://host[/path]'
  const url = parseUrl(text)
  if ('error' in url) return [required(path, `url must be a valid URL: ${url.error}${form}`)]
  const errors: FieldError[] = []
  if (url.scheme !== 'https') errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`))
  if (url.host === '') errors.push(invalid(path, url.host, `host must be specified${form}`))
  const user = /^[^:]+:\/\/([^/@]*)@/.exec(text)
  if (user !== null) errors.push(invalid(path, user[1]!, 'user information is not permitted in the URL'))
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'))
  if (url.rawQuery !== '') errors.push(invalid(path, url.rawQuery, 'query parameters are not permitted in the URL'))
  return errors
}

function validateWebhookPath(path: FieldPath, text: string): FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const errors: FieldError[] = []
  if (!text.startsWith('/')) errors.push(invalid(path, text, "must start with a '/'"))
  for (const [i, step] of text.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') errors.push(invalid(path, text, `segment[${i}] may not be empty`))
    else for (const problem of isDNSSubdomain(step)) errors.push(invalid(path, text, `segment[${i}]: ${problem}`))
  }
  return errors
}

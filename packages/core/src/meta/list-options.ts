import { newBadRequest, newInvalid } from '../errors/api-errors.ts'
import { forbidden, notSupported, type FieldError } from '../errors/field-error.ts'
import { FieldSelector } from './field-selector.ts'
import { LabelSelector } from './label-selector.ts'
import { parseInt64 } from './parse-int.ts'

/** What a client can ask of a list or a watch (`apimachinery: pkg/apis/meta/internalversion: ListOptions`). */
export interface RequestListOptions {
  readonly labelSelector: LabelSelector
  readonly fieldSelector: FieldSelector
  readonly watch: boolean
  readonly allowWatchBookmarks: boolean
  /** As sent: `'00'` is not `'0'`. */
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly timeoutSeconds: number | undefined
  /** 0 or less: none. */
  readonly limit: number
  readonly continue: string
  /** `undefined` when the client did not say. */
  readonly sendInitialEvents: boolean | undefined
  readonly shardSelector: string
}

/** What the server brings to reading list options. */
export interface ListOptionsContext {
  /** The WatchList feature gate. */
  readonly watchList: boolean
  /** Turns a field label into the internal one, or throws an Error with the kind's text. */
  readonly convertFieldLabel: (label: string, value: string) => readonly [label: string, value: string]
  /** The name that the request's path (or its field selector) asks for; `''` for none. */
  readonly name: string
}

/**
 * Reads list options from a query (`pkg/endpoints/handlers/get.go: listOpts`): decodes, sets defaults,
 * validates, converts field labels and merges the name. Throws a StatusError, 400 or 422.
 */
export function listOptionsFromQuery(query: URLSearchParams, context: ListOptionsContext): RequestListOptions {
  const options = setListOptionsDefaults(decodeListOptions(query), context.watchList)
  const errors = validateListOptions(options, context.watchList)
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  const fieldSelector = asBadRequest(() => options.fieldSelector.transform(context.convertFieldLabel))
  return { ...options, fieldSelector: selectName(fieldSelector, context.name) }
}

/** Decodes a query; of a repeated parameter the first value counts. Throws a 400. */
export function decodeListOptions(query: URLSearchParams): RequestListOptions {
  const text = (name: string): string => query.get(name) ?? ''
  return asBadRequest(() => {
    // Numbers before selectors: the first error is the one that is answered.
    const timeoutSeconds = integer(query, 'timeoutSeconds')
    const limit = integer(query, 'limit') ?? 0
    return {
      labelSelector: LabelSelector.parse(text('labelSelector')),
      fieldSelector: FieldSelector.parse(text('fieldSelector')),
      watch: boolean(query, 'watch') ?? false,
      allowWatchBookmarks: boolean(query, 'allowWatchBookmarks') ?? false,
      resourceVersion: text('resourceVersion'),
      resourceVersionMatch: text('resourceVersionMatch'),
      timeoutSeconds,
      limit,
      continue: text('continue'),
      sendInitialEvents: boolean(query, 'sendInitialEvents'),
      shardSelector: text('shardSelector'),
    }
  })
}

/** A boolean of a query: only `0` and `false` are false, `undefined` when it is not there. */
function boolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false'
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  return value === null ? undefined : Number(parseInt64(value))
}

function asBadRequest<R>(read: () => R): R {
  try {
    return read()
  } catch (error) {
    throw newBadRequest((error as Error).message)
  }
}

/** A watch that does not say where it starts is one for a consistent start (`SetListOptionsDefaults`). */
export function setListOptionsDefaults(options: RequestListOptions, watchList: boolean): RequestListOptions {
  const unspecified = options.sendInitialEvents === undefined && options.resourceVersionMatch === ''
  const legacy = options.resourceVersion === '' || options.resourceVersion === '0'
  if (!watchList || !options.watch || !legacy || !unspecified) return options
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

/** All that contradicts itself (`internalversion/validation: ValidateListOptions`). */
export function validateListOptions(options: RequestListOptions, watchList: boolean): FieldError[] {
  return options.watch ? validateWatch(options, watchList) : validateList(options)
}

const matchField = 'resourceVersionMatch'

function validateList(options: RequestListOptions): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersion, resourceVersionMatch: match } = options
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (options.continue !== '') {
      errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'))
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(matchField, match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function validateWatch(options: RequestListOptions, watchList: boolean): FieldError[] {
  const errors: FieldError[] = []
  const { sendInitialEvents, resourceVersionMatch: match } = options
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      errors.push(forbidden(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
    }
    if (!watchList) {
      const detail = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'
      errors.push(forbidden('sendInitialEvents', detail))
    }
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
      errors.push(forbidden(matchField, detail))
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(matchField, match, ['NotOlderThan']))
    if (options.continue !== '') {
      errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'))
    }
  }
  return errors
}

function selectName(fieldSelector: FieldSelector, name: string): FieldSelector {
  if (name === '') return fieldSelector
  if (fieldSelector.empty) return FieldSelector.oneTermEqual('metadata.name', name)
  if (fieldSelector.requiresExactMatch('metadata.name') !== name) {
    throw newBadRequest("fieldSelector metadata.name doesn't match requested name")
  }
  return fieldSelector
}

/** Field labels of kinds that have none of their own (`DefaultMetaV1FieldSelectorConversion`). */
export function defaultFieldLabelConversion(label: string, value: string): readonly [label: string, value: string] {
  if (label === 'metadata.name' || label === 'metadata.namespace') return [label, value]
  throw new SyntaxError(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
}

/** A watch that begins with the state as it is and says when it has told it (`isListWatchRequest`). */
export function isListWatchRequest(options: {
  readonly sendInitialEvents?: boolean | undefined
  readonly allowWatchBookmarks: boolean
}): boolean {
  return options.sendInitialEvents === true && options.allowWatchBookmarks
}

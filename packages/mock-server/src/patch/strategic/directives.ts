import { newBadRequest, newGenericServerResponse, type StatusError } from '@freshread/core'
import { goTypeName, goValue } from '../../go/text.ts'
import { plainError } from '../plain-error.ts'

/*
 * What a strategic merge patch may say beside values (`apimachinery: pkg/util/strategicpatch/patch.go`), and
 * the errors it gets (`pkg/util/mergepatch/errors.go`).
 */

/** `$patch: replace | delete | merge`: what to do with the map that it stands in. */
export const directiveMarker = '$patch'
/** The only fields of a map that stay. */
export const retainKeysDirective = '$retainKeys'
export const deleteFromPrimitiveListPrefix = '$deleteFromPrimitiveList'
export const setElementOrderPrefix = '$setElementOrder'

export const badRetainKeys = (): StatusError => newBadRequest('invalid patch format of retainKeys')
export const badPrimitiveList = (): StatusError => newBadRequest('invalid patch format of primitive list')
export const badSetElementOrder = (): StatusError => newBadRequest('invalid patch format of setElementOrder list')
export const noListOfLists = (): StatusError => newGenericServerResponse(422)

export const noMergeKey = (item: unknown, mergeKey: string): StatusError =>
  plainError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`)

export const badArgType = (expected: unknown, actual: unknown): StatusError =>
  plainError(`expected a ${typeText(expected)}, but received a ${typeText(actual)}`)

/** The type of nothing is nothing, and no text. */
function typeText(value: unknown): string {
  return value === null || value === undefined ? '%!s(<nil>)' : goTypeName(value)
}

export const badPatchType = (directive: unknown, item: unknown): StatusError => {
  const text = typeof directive === 'string' ? directive : `%!s(${typeAndValue(directive)})`
  return plainError(`unknown patch type: ${text} in map: ${goValue(item)}`)
}

function typeAndValue(value: unknown): string {
  return value === null ? '<nil>' : `${goTypeName(value)}=${goValue(value)}`
}

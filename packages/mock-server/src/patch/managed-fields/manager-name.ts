/** The most bytes that the name of a manager may have (`pkg/apis/meta/v1/validation: FieldManagerMaxLength`). */
const FIELD_MANAGER_MAX_LENGTH = 128

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
/** Needs no look at each character. */
const plain = /^[ -~]{0,128}$/
const encoder = new TextEncoder()

/**
 * Who writes: the `fieldManager` parameter, or the user agent up to its first slash, without what cannot be
 * printed and cut to 128 bytes (`pkg/endpoints/handlers/create.go: managerOrUserAgent`).
 */
export function managerOrUserAgent(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager
  const agent = (userAgent ?? '').split('/', 1)[0]!
  if (plain.test(agent)) return agent
  let name = ''
  let bytes = 0
  for (const char of agent) {
    if (!printable.test(char)) continue
    bytes += encoder.encode(char).length
    if (bytes > FIELD_MANAGER_MAX_LENGTH) break
    name += char
  }
  return name
}

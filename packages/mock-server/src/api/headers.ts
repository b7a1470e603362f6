/** Headers of an answer; a list for one that is sent several times. */
export type ResponseHeaders = Record<string, string | readonly string[]>

/** Ids that every answer of one server carries (`pkg/server/filters/priority-and-fairness.go`). */
export interface PriorityAndFairnessIds {
  readonly flowSchemaUid: string
  readonly priorityLevelUid: string
}

/** Headers of every answer that a handler gives, whatever it is. */
export function baseHeaders(auditId: string, ids: PriorityAndFairnessIds): ResponseHeaders {
  return {
    'audit-id': auditId,
    'cache-control': 'no-cache, private',
    'x-kubernetes-pf-flowschema-uid': ids.flowSchemaUid,
    'x-kubernetes-pf-prioritylevel-uid': ids.priorityLevelUid,
  }
}

/** Most characters of all warnings together, and how many a text keeps when that is too little (`pkg/endpoints/filters/warning.go`). */
const TRUNCATE_AT_TOTAL = 4 * 1024
const TRUNCATE_ITEM = 256

const runes = (text: string): number => Array.from(text).length

/**
 * Collects what `Warning` headers tell the user. Each text is told once; when they become too long
 * together each is cut to 256 characters, and those that come later are left out.
 */
export class WarningRecorder {
  readonly #texts = new Set<string>()

  add(text: string): void {
    // A header cannot carry control characters; such a warning is dropped, as Go's header writer does.
    // oxlint-disable-next-line no-control-regex
    if (text !== '' && !/[\x00-\x1f\x7f]/.test(text)) this.#texts.add(text)
  }

  /** Values for `warning` headers: `299 - "text"`. */
  headers(): readonly string[] {
    let texts = [...this.#texts]
    if (texts.reduce((sum, text) => sum + runes(text), 0) > TRUNCATE_AT_TOTAL) {
      let written = 0
      texts = texts
        .map((text) => Array.from(text).slice(0, TRUNCATE_ITEM).join(''))
        .filter((text) => {
          if (written >= TRUNCATE_AT_TOTAL) return false
          written += runes(text)
          return true
        })
    }
    return texts.map((text) => `299 - "${text.replace(/[\\"]/g, '\\$&')}"`)
  }
}

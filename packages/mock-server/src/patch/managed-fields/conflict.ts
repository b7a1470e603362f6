import { goQuote, newApplyConflict, type StatusError } from '@freshread/core'
import type { FieldSet } from './field-set.ts'
import { parseIdentifier } from './managers.ts'
import { compareText, pathText, type PathElement } from './path-element.ts'

/** A field that somebody else owns. */
export interface Conflict {
  /** Manager identifier. */
  readonly manager: string
  readonly path: readonly PathElement[]
}

/** An apply that would take fields from others (`structured-merge-diff: merge/conflict.go: Conflicts`). */
export class ConflictsError extends Error {
  override readonly name: string = 'ConflictsError'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`)
    this.conflicts = conflicts
  }

  /** From what each manager would lose. */
  static of(sets: ReadonlyMap<string, FieldSet>): ConflictsError {
    const managers = [...sets.keys()].sort(compareText)
    return new ConflictsError(
      managers.flatMap((manager) => [...sets.get(manager)!.paths()].map((path) => ({ manager, path }))),
    )
  }

  /** The 409 that clients see (`pkg/util/managedfields/internal/conflict.go`). */
  toStatusError(): StatusError {
    const causes = this.conflicts.map(({ manager, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(manager)}`,
      field: pathText(path),
    }))
    return newApplyConflict(causes, this.#text())
  }

  #text(): string {
    const [first, ...others] = this.conflicts
    if (others.length === 0) {
      return `Apply failed with 1 conflict: conflict with ${managerText(first!.manager)}: ${pathText(first!.path)}`
    }
    const byManager = Map.groupBy(this.conflicts, ({ manager }) => manager)
    const lines: string[] = []
    for (const manager of [...byManager.keys()].sort(compareText)) {
      lines.push(`conflicts with ${managerText(manager)}:`)
      for (const { path } of byManager.get(manager)!) lines.push(`- ${pathText(path)}`)
    }
    return `Apply failed with ${this.conflicts.length} conflicts: ${lines.join('\n')}`
  }
}

/** A manager as messages name it: `"x" with subresource "status" using apps/v1`. */
function managerText(identifier: string): string {
  const { manager = '', operation, apiVersion = '', subresource } = parseIdentifier(identifier)
  const name = goQuote(manager) + (subresource === undefined ? '' : ` with subresource ${goQuote(subresource)}`)
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

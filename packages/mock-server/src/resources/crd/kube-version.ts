import { compareUtf8 } from '../../go/text.ts'

const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/
const stages: Readonly<Record<string, number>> = { alpha: 0, beta: 1 }

/**
 * Orders versions as discovery does, best first: `v2`, `v1`, `v2beta1`, `v1alpha2`, then all others by name
 * (`apimachinery: pkg/version: CompareKubeAwareVersionStrings`).
 */
export function compareKubeVersions(a: string, b: string): number {
  if (a === b) return 0
  const x = pattern.exec(a)
  const y = pattern.exec(b)
  if (x === null || y === null) {
    if (x === null && y === null) return compareUtf8(a, b)
    return x === null ? 1 : -1
  }
  const stage = (match: RegExpExecArray): number => (match[2] === undefined ? 2 : stages[match[2]]!)
  return stage(y) - stage(x) || Number(y[1]) - Number(x[1]) || Number(y[3] ?? 0) - Number(x[3] ?? 0)
}

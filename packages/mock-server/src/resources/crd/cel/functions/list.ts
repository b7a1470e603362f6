import { CelError, type CelList, compare, isError, type Value } from '../values.ts'
import { add } from './arithmetic.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'

/* Kubernetes' functions of lists (`apiserver: pkg/cel/library/lists.go`). */

const list = (value: Value | undefined): CelList => value as CelList

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const summable = ['int', 'uint', 'double', 'duration']

const isSorted: Implementation = ([values]) => {
  let previous: Value | undefined
  for (const value of list(values)) {
    if (previous !== undefined) {
      const order = compare(previous, value)
      if (typeof order !== 'number') return order
      if (order > 0) return false
    }
    previous = value
  }
  return true
}

/** An empty list has the sum zero, of the type that was asked for, which nobody remembers: an int is as equal. */
const sum: Implementation = ([values]) => {
  let total: Value | undefined
  for (const value of list(values)) {
    total = total === undefined ? value : add([total, value])
    if (isError(total)) return total
  }
  return total ?? 0n
}

function extreme(name: string, wanted: number): Implementation {
  return ([values]) => {
    let best: Value | undefined
    for (const value of list(values)) {
      if (best === undefined) {
        best = value
        continue
      }
      const order = compare(value, best)
      if (typeof order !== 'number') return order
      if (Math.sign(order) === wanted) best = value
    }
    return best ?? new CelError(`${name} called on empty list`)
  }
}

const templated = (
  name: string,
  id: string,
  types: readonly string[],
  result: (type: string) => string,
  run: Implementation,
): FunctionDecl =>
  declare(
    name,
    types.map((type) => `list_${type}_${id.replace('%', type)} list(${type}).() ${result(type)}`).join('\n'),
    run,
  )

export const listFunctions: readonly FunctionDecl[] = [
  templated('isSorted', 'is_sorted_bool', comparable, () => 'bool', isSorted),
  templated('sum', 'sum_%', summable, (type) => type, sum),
  templated('max', 'max_%', comparable, (type) => type, extreme('max', 1)),
  templated('min', 'min_%', comparable, (type) => type, extreme('min', -1)),
]

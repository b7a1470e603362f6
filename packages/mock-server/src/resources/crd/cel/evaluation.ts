import { CelError, type Value } from './values.ts'

/*
 * What an evaluation carries along: variables, and what it has cost so far.
 */

/** Thrown when an evaluation costs more than it may. */
export class CostLimitExceeded extends Error {
  readonly cost: number

  constructor(cost: number) {
    super('operation cancelled: actual cost limit exceeded')
    this.cost = cost
  }
}

/** A variable of a comprehension, and those around it. */
export interface Scope {
  readonly name: string
  value: Value | undefined
  /** Makes the value when it is first asked for. */
  readonly make: (() => Value) | undefined
  readonly parent: Scope | undefined
}

/** One evaluation of a program. */
export class Evaluation {
  readonly variables: ReadonlyMap<string, Value>
  readonly #limit: number
  cost = 0
  scope: Scope | undefined

  constructor(variables: ReadonlyMap<string, Value>, limit: number) {
    this.variables = variables
    this.#limit = limit
  }

  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.#limit) throw new CostLimitExceeded(this.cost)
  }

  lookup(name: string): Value {
    for (let scope = this.scope; scope !== undefined; scope = scope.parent) {
      if (scope.name !== name) continue
      if (scope.value === undefined) {
        const own = this.scope
        this.scope = scope.parent
        scope.value = scope.make!()
        this.scope = own
      }
      return scope.value
    }
    const value = this.variables.get(name)
    return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value
  }
}

/** Gives the value of a part of an expression. */
export type Eval = (run: Evaluation) => Value

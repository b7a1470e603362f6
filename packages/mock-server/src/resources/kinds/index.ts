import type { Strategy } from '../strategy.ts'

const none: Strategy = {}
const strategies: ReadonlyMap<string, Strategy> = new Map()

/** What is particular to a kind, by its group and its kind or resource name; an empty strategy for the others. */
export function strategyFor(group: string, kind: string): Strategy {
  return strategies.get(`${group}/${kind}`) ?? none
}

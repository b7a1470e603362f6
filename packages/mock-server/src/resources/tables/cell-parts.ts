import { since } from './duration.ts'
import type { View } from './view.ts'

/** Makes the cells of one object; `now` in milliseconds since the epoch. */
export type CellMaker = (object: View, now: number) => readonly unknown[]

export const name = (object: View): string => object.at('metadata', 'name').string()

export const age = (object: View, now: number): string => since(object.at('metadata', 'creationTimestamp'), now)

/** When an object was made, as Go prints a time that may be unset. */
export const createdAt = (object: View): string =>
  object.at('metadata', 'creationTimestamp').string('0001-01-01T00:00:00Z')

/** How many of a list are shown before the rest is only counted. */
export const MAX_LISTED: number = 3

/** The first few, and how many more there are. */
export function someOf(list: readonly string[], none: string, max: number = MAX_LISTED): string {
  const text = list.slice(0, max).join(',')
  if (list.length > max) return `${text} + ${list.length - max} more...`
  return text === '' ? none : text
}

export const containers = (template: View): readonly [string, string] => {
  const list = template.at('spec', 'containers').list()
  return [list.map((c) => c.at('name').string()).join(','), list.map((c) => c.at('image').string()).join(',')]
}

export const conditionOf = (
  object: View,
  type: string,
  path: readonly string[] = ['status', 'conditions'],
): View | undefined =>
  object
    .at(...path)
    .list()
    .find((condition) => condition.at('type').string() === type)

export const isTrue = (object: View, type: string): boolean =>
  conditionOf(object, type)?.at('status').string() === 'True'

export const nameAndAge: CellMaker = (object, now) => [name(object), age(object, now)]

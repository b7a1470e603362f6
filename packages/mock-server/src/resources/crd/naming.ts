import { goQuote } from '@freshread/core'
import { findCondition, isConditionTrue, sameCondition, withCondition } from './definition/conditions.ts'
import { deepEqual } from './correlated-object.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from './types.ts'

type Condition = Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>

/**
 * Accepts the names that a definition asks for, as far as no other of its group has them, and says in its conditions
 * what became of that (`pkg/controller/status/naming_controller.go`). Answers the definition itself when there
 * is nothing to do.
 *
 * @param others all definitions, with their current states
 */
export function withNames(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
  now: string,
): CustomResourceDefinition {
  const requested = crd.spec?.names ?? {}
  const accepted = crd.status?.acceptedNames ?? {}
  if (deepEqual(requested, accepted)) return crd
  const { names, condition } = calculate(crd, others)
  if (deepEqual(names, accepted) && sameCondition(condition, findCondition(crd, 'NamesAccepted'))) return crd
  const named: CustomResourceDefinition = { ...crd, status: { ...crd.status, acceptedNames: names } }
  return withCondition(withCondition(named, condition, now), establishedCondition(crd, condition), now)
}

/** Names that are taken in a group: those of resources and those of kinds. */
function takenNames(group: string, others: Iterable<CustomResourceDefinition>): readonly [Set<string>, Set<string>] {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { spec, status } of others) {
    if (spec?.group !== group) continue
    const { plural = '', singular = '', shortNames = [], kind = '', listKind = '' } = status?.acceptedNames ?? {}
    for (const name of [plural, singular, ...shortNames]) resources.add(name)
    kinds.add(kind).add(listKind)
  }
  return [resources, kinds]
}

function calculate(
  crd: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): { readonly names: CustomResourceDefinitionNames; readonly condition: Condition } {
  const requested = crd.spec?.names ?? {}
  const accepted = crd.status?.acceptedNames ?? {}
  const [resources, kinds] = takenNames(crd.spec?.group ?? '', others)
  const names: { -readonly [K in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[K] } = {
    ...accepted,
  }
  let condition: Condition = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  // Of several conflicts the last is told.
  const conflict = (reason: string, messages: readonly string[]): void => {
    const [first = ''] = messages
    const message = messages.length > 1 ? `[${messages.join(', ')}]` : first
    condition = { type: 'NamesAccepted', status: 'False', reason, message }
  }
  const inUse = (name: string, own: string, taken: ReadonlySet<string>): string[] =>
    name === own || !taken.has(name) ? [] : [`${goQuote(name)} is already in use`]
  const accept = (
    field: 'plural' | 'singular' | 'kind' | 'listKind',
    taken: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = requested[field] ?? ''
    const errors = inUse(name, accepted[field] ?? '', taken)
    if (errors.length > 0) conflict(reason, errors)
    else names[field] = name
  }
  accept('plural', resources, 'PluralConflict')
  accept('singular', resources, 'SingularConflict')
  if (!deepEqual(requested.shortNames ?? null, accepted.shortNames ?? null)) {
    const own = new Set(accepted.shortNames)
    const wanted = (requested.shortNames ?? []).filter((name) => !own.has(name))
    const errors = [...new Set(wanted.flatMap((name) => inUse(name, '', resources)))]
    if (errors.length > 0) conflict('ShortNamesConflict', errors)
    else setOptional(names, 'shortNames', requested.shortNames)
  }
  accept('kind', kinds, 'KindConflict')
  accept('listKind', kinds, 'ListKindConflict')
  setOptional(names, 'categories', requested.categories)
  return { names, condition }
}

function setOptional(
  names: { -readonly [K in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[K] },
  field: 'shortNames' | 'categories',
  value: readonly string[] | undefined,
): void {
  if (value === undefined) delete names[field]
  else names[field] = value
}

function establishedCondition(crd: CustomResourceDefinition, names: Condition): Condition {
  const old = findCondition(crd, 'Established')
  if (old?.status !== 'True' && names.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    }
  }
  return old ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
}

/** Says that a definition with accepted names is served (`pkg/controller/establish`). */
export function withEstablished(crd: CustomResourceDefinition, now: string): CustomResourceDefinition {
  if (!isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) return crd
  const { reason, message } = { reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
  return withCondition(crd, { type: 'Established', status: 'True', reason, message }, now)
}

import { goTypeOfSchema, type GoType } from '../decode/go-type.ts'
import type { SchemaNode } from '../schema.ts'
import { appsDefaults } from './apps.ts'
import { coreDefaults } from './core.ts'
import type { Defaulter } from './defaulter.ts'
import { groupDefaults } from './groups.ts'

/** Defaulters by Go type, as `SetDefaults_*` are found by type in Go. */
const defaulters: ReadonlyMap<string, Defaulter> = new Map(
  Object.entries({ ...coreDefaults, ...appsDefaults, ...groupDefaults }),
)

/**
 * Fills in the defaults of a built-in kind, in place: what its schema says and what Go's defaulting functions do, to
 * outer structs before those in them. Does nothing for kinds that are not built in.
 */
export function applyDefaults(object: object, schema: SchemaNode | undefined): void {
  const type = goTypeOfSchema(schema)
  if (type !== undefined && hasDefaulters(type)) visit(object, type)
}

function visit(value: unknown, type: GoType): void {
  if (value === null || value === undefined) return
  switch (type.kind) {
    case 'pointer':
      visit(value, type.element!)
      return
    case 'list':
      if (hasDefaulters(type.element!)) for (const item of value as unknown[]) visit(item, type.element!)
      return
    case 'map': {
      defaulters.get(type.id)?.(value as Record<string, unknown>)
      if (hasDefaulters(type.element!)) for (const item of Object.values(value as object)) visit(item, type.element!)
      return
    }
    case 'struct': {
      const defaulter = defaulters.get(type.id)
      if (defaulter !== undefined) {
        defaulter(value as Record<string, unknown>)
        restoreOrder(value as Record<string, unknown>, type)
      }
      for (const field of type.fields.values()) {
        if (hasDefaulters(field.type)) visit((value as Record<string, unknown>)[field.name], field.type)
      }
    }
  }
}

/** Puts fields that a defaulter added at the place where Go prints them. */
function restoreOrder(value: Record<string, unknown>, type: GoType): void {
  let names: string[] | undefined
  let last = -1
  const positions = positionsOf(type)
  for (const name of Object.keys(value)) {
    const at = positions.get(name) ?? -1
    if (at < last) {
      names = [...type.fields.keys()]
      break
    }
    last = at
  }
  for (const name of names ?? []) {
    if (!Object.hasOwn(value, name)) continue
    const held = value[name]
    delete value[name]
    value[name] = held
  }
}

const positionsByType = new Map<GoType, ReadonlyMap<string, number>>()

function positionsOf(type: GoType): ReadonlyMap<string, number> {
  let made = positionsByType.get(type)
  if (made === undefined)
    positionsByType.set(type, (made = new Map([...type.fields.keys()].map((name, i) => [name, i]))))
  return made
}

const memo = new Map<GoType, boolean>()

/** Whether any type below has a defaulter, so that the rest of an object need not be walked. */
function hasDefaulters(type: GoType): boolean {
  let found = memo.get(type)
  if (found === undefined) {
    found = search(type, new Set())
    memo.set(type, found)
  }
  return found
}

function search(type: GoType, seen: Set<GoType>): boolean {
  if (seen.has(type)) return false
  seen.add(type)
  if (defaulters.has(type.id)) return true
  if (type.element !== undefined) return search(type.element, seen)
  for (const field of type.fields.values()) if (search(field.type, seen)) return true
  return false
}

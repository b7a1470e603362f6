import internalTypes from '../../../data/internal-types.json' with { type: 'json' }

const types = internalTypes as unknown as Readonly<Record<string, string | readonly string[]>>

/**
 * A value as Go prints it in the server's internal version: most fields by their Go names, none left out. Errors that
 * show a whole value show it so.
 *
 * @param type name of the internal type: `core.PodTemplateSpec`, `*rbac.RoleRef`
 */
export function internalValue(type: string, value: unknown): unknown {
  if (type.startsWith('*')) return value == null ? null : internalValue(type.slice(1), value)
  if (type === '[]uint8') return value ?? null
  if (type.startsWith('[]'))
    return Array.isArray(value) ? value.map((item) => internalValue(type.slice(2), item)) : null
  if (type.startsWith('map[')) return mapValue(type, value)
  const definition = types[type]
  if (Array.isArray(definition)) return structValue(definition as readonly string[], value)
  if (definition === 'custom') return value ?? customZero(type)
  if (typeof definition === 'string') return internalValue(definition, value)
  return value ?? scalarZero(type)
}

function mapValue(type: string, value: unknown): unknown {
  if (value == null) return null
  const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
  const element = type.slice(type.indexOf(']') + 1)
  return Object.fromEntries(entries.map(([key, item]) => [key, internalValue(element, item)]))
}

function structValue(fields: readonly string[], value: unknown): unknown {
  const given = byLowerName(value)
  const metadata = byLowerName(given.get('metadata'))
  const out: Record<string, unknown> = {}
  for (const line of fields) {
    const [name, flags, type, within] = line.split(' ') as [string, string, string, string | undefined]
    const source = within === 'ObjectMeta' ? metadata : given
    const found = source.get((RENAMED[name] ?? name).toLowerCase())
    if (flags.includes('o') && (found === undefined || found === null)) continue
    if (flags.includes('z') && found === null) continue
    out[name] = internalValue(type, found)
  }
  return out
}

/** Fields whose internal names are not just another spelling. */
const RENAMED: Readonly<Record<string, string>> = { DeprecatedServiceAccount: 'serviceAccount' }

function byLowerName(value: unknown): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(Object.entries(value).map(([name, item]) => [name.toLowerCase(), item]))
}

function customZero(type: string): unknown {
  if (type === 'resource.Quantity') return '0'
  return type === 'intstr.IntOrString' ? 0 : null
}

function scalarZero(type: string): unknown {
  if (type === 'string') return ''
  if (type === 'bool') return false
  return /^(u?int|float)/.test(type) ? 0 : null
}

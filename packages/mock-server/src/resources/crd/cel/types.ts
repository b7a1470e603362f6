/** CEL's types, as its checker knows them (`cel-go: common/types/types.go`). */

export type CelKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'any'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'param'
  | 'uint'

export interface CelType {
  readonly kind: CelKind
  readonly name: string
  readonly params: readonly CelType[]
}

function simple(kind: CelKind, name: string = kind): CelType {
  return { kind, name, params: [] }
}

export const boolType: CelType = simple('bool')
export const bytesType: CelType = simple('bytes')
export const doubleType: CelType = simple('double')
export const durationType: CelType = simple('duration', 'google.protobuf.Duration')
export const dynType: CelType = simple('dyn')
export const errorType: CelType = simple('error', 'error')
export const intType: CelType = simple('int')
export const nullType: CelType = simple('null', 'null_type')
export const stringType: CelType = simple('string')
export const timestampType: CelType = simple('timestamp', 'google.protobuf.Timestamp')
export const uintType: CelType = simple('uint')

export function listType(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] }
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] }
}

export function structType(name: string): CelType {
  return simple('struct', name)
}

export function opaqueType(name: string, ...params: readonly CelType[]): CelType {
  return { kind: 'opaque', name, params }
}

export function optionalType(value: CelType): CelType {
  return opaqueType('optional_type', value)
}

export function typeType(of?: CelType): CelType {
  return { kind: 'type', name: 'type', params: of === undefined ? [] : [of] }
}

export function paramType(name: string): CelType {
  return simple('param', name)
}

/** Prints a type as error messages have it (`checker/format.go: FormatCELType`). */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'any':
      return 'any'
    case 'duration':
      return 'duration'
    case 'timestamp':
      return 'timestamp'
    case 'error':
      return '!error!'
    case 'null':
      return 'null'
    case 'param':
      return type.name
    default:
      if (type.params.length === 0) return type.name
      return `${type.name}(${type.params.map(formatType).join(', ')})`
  }
}

const named: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
  ip: opaqueType('net.IP'),
  cidr: opaqueType('net.CIDR'),
  quantity: structType('kubernetes.Quantity'),
  url: structType('kubernetes.URL'),
  format: structType('kubernetes.NamedFormat'),
  semver: structType('kubernetes.Semver'),
}

/** Reads a type as the declarations write it: `map(string, list(A))`; single capitals are parameters. */
export function readType(text: string): CelType {
  const trimmed = text.trim()
  const open = trimmed.indexOf('(')
  if (open < 0) return /^[A-Z]$/.test(trimmed) ? paramType(trimmed) : named[trimmed]!
  const params = splitTypes(trimmed.slice(open + 1, -1)).map(readType)
  switch (trimmed.slice(0, open)) {
    case 'list':
      return listType(params[0]!)
    case 'map':
      return mapType(params[0]!, params[1]!)
    case 'optional':
      return optionalType(params[0]!)
    default:
      return typeType(params[0])
  }
}

/** Splits a list of types at its own commas. */
export function splitTypes(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const ch = text[i]
    if (ch === '(') depth++
    else if (ch === ')') depth--
    else if ((ch === ',' && depth === 0) || ch === undefined) {
      if (text.slice(start, i).trim() !== '') parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return parts
}

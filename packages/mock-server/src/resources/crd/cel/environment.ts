import { extensionFunctions } from './functions/extensions.ts'
import { join, setMatcher, type FunctionDecl, type Overload } from './functions/declare.ts'
import { kubernetesFunctions, newestFunctions } from './functions/kubernetes.ts'
import { standardFunctions } from './functions/standard.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from './types.ts'
import { CelList, CelMap, Optional, typeName, type Value } from './values.ts'

/** What expressions can name (`apiserver: pkg/cel/environment`). */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDecl>
}

function index(...libraries: readonly (readonly FunctionDecl[])[]): ReadonlyMap<string, FunctionDecl> {
  const functions = new Map<string, FunctionDecl>()
  for (const declaration of libraries.flat()) {
    const known = functions.get(declaration.name)
    // Operators gain forms, but keep the one implementation.
    if (known === undefined) functions.set(declaration.name, declaration)
    else if (known.unguarded)
      functions.set(declaration.name, { ...known, overloads: [...known.overloads, ...declaration.overloads] })
    else functions.set(declaration.name, join(known, declaration))
  }
  return functions
}

/** For expressions that are new: what the version before this one knows already, so that a cluster can go back to it. */
export const newExpressions: Environment = {
  functions: index(standardFunctions, extensionFunctions, kubernetesFunctions),
}

/** For expressions that have been stored before. */
export const storedExpressions: Environment = {
  functions: index(standardFunctions, extensionFunctions, kubernetesFunctions, newestFunctions),
}

const named: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  dyn: dynType,
  int: intType,
  list: listType(dynType),
  map: mapType(dynType, dynType),
  null_type: nullType,
  string: stringType,
  uint: uintType,
  optional_type: optionalType(dynType),
  'google.protobuf.Duration': durationType,
  'google.protobuf.Timestamp': timestampType,
  'net.IP': opaqueType('net.IP'),
  'net.CIDR': opaqueType('net.CIDR'),
}

/** The type that a name stands for, as an expression's value: `type(int)`. */
export function typeIdent(name: string): CelType | undefined {
  if (name === 'type') return typeType(typeType())
  return Object.hasOwn(named, name) ? typeType(named[name]!) : undefined
}

const runtimeNames: Readonly<Record<string, string>> = { null: 'null_type' }

/** Whether a value can be an argument of this type (`types.Type: IsAssignableRuntimeType`). */
function fits(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'any' || type.kind === 'param') return true
  const name = typeName(value)
  // Objects of a schema are maps where they are evaluated.
  if (type.kind === 'struct' && value instanceof CelMap) return true
  if (name !== (runtimeNames[type.kind] ?? (type.kind === 'type' ? 'type' : type.name))) return false
  const [first, second] = type.params
  if (value instanceof CelList) return value.size === 0 || first === undefined || fits(first, value.at(0))
  if (value instanceof CelMap && first !== undefined && second !== undefined) {
    for (const key of value.keys()) return fits(first, key) && fits(second, value.find(key)!)
  }
  if (value instanceof Optional && first !== undefined && value.value !== undefined) return fits(first, value.value)
  return true
}

/** Whether a call can be of this form. */
export function accepts(overload: Overload, args: readonly Value[]): boolean {
  return overload.args.length === args.length && overload.args.every((type, i) => fits(type, args[i]!))
}

setMatcher(accepts)

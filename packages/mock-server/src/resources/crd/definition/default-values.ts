import type { FieldError } from '@freshread/core'
import { newCelValidator, runtimeCelCostBudget } from '../cel/validator.ts'
import { deepEqual } from '../correlated-object.ts'
import { copyJson, rootSurrounding, surroundingChild, surroundingIndex, type Surrounding } from '../defaulting.ts'
import { child, invalid, key, nilPath, type FieldPath } from '../field-errors.ts'
import { coerceMeta, validateMeta } from '../object-meta.ts'
import { prune } from '../pruning.ts'
import { validateSchema } from '../schema-validator.ts'
import { asResourceRoot, metaFields, type JsonSchemaProps } from '../types.ts'

interface State {
  readonly errors: FieldError[]
  readonly requirePruned: boolean
  budget: number
}

/** Puts type metadata around a value that lacks it, so that embedded metadata can be validated. */
function withTypeMeta(surrounding: Surrounding): Surrounding {
  return {
    wrap: (value) => ({ kind: 'Validation', apiVersion: 'validation/v1', ...surrounding.wrap(value) }),
    unwrap: surrounding.unwrap,
  }
}

/** Defaults must be valid and pruned themselves (`pkg/apiserver/schema/defaulting: ValidateDefaults`). */
export function validateDefaults(path: FieldPath, schema: JsonSchemaProps, requirePruned: boolean): FieldError[] {
  const state: State = { errors: [], requirePruned, budget: runtimeCelCostBudget }
  const root = asResourceRoot(schema)
  visit(path, root, root, withTypeMeta(rootSurrounding), false, state)
  return state.errors
}

function visit(
  path: FieldPath,
  schema: JsonSchemaProps | undefined,
  root: JsonSchemaProps,
  surrounding: Surrounding,
  insideMeta: boolean,
  state: State,
): void {
  if (schema === undefined || state.budget < 0) return
  let inMeta = insideMeta
  let around = surrounding
  let rootSchema = root
  if (schema['x-kubernetes-embedded-resource'] === true) {
    inMeta = false
    around = withTypeMeta(rootSurrounding)
    rootSchema = schema
  }
  if (schema.default !== undefined && schema.default !== null) {
    validateDefault(child(path, 'default'), schema, rootSchema, around, inMeta, state)
  }
  if (schema.items !== undefined) {
    visit(child(path, 'items'), schema.items, rootSchema, surroundingIndex(around), inMeta, state)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meta = inMeta || (schema['x-kubernetes-embedded-resource'] === true && metaFields.has(name))
    visit(key(child(path, 'properties'), name), property, rootSchema, surroundingChild(around, name), meta, state)
  }
}

function validateDefault(
  path: FieldPath,
  schema: JsonSchemaProps,
  root: JsonSchemaProps,
  surrounding: Surrounding,
  insideMeta: boolean,
  state: State,
): void {
  const { errors } = state
  const value = schema.default
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  let problems: FieldError[]
  if (insideMeta) {
    const object = surrounding.wrap(copyJson(value))
    const { error } = coerceMeta(nilPath, object, root, { isResourceRoot: true })
    if (error !== undefined) {
      errors.push(invalid(path, value, `must result in valid metadata: ${error.message}`))
      return
    }
    const found = validateMeta(nilPath, object, root, true)
    if (found.length > 0) {
      const messages = found.map((problem) => problem.message)
      const text = messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`
      errors.push(invalid(path, value, `must result in valid metadata: ${text}`))
      return
    }
    problems = validateSchema(path, value, schema)
  } else {
    if (state.requirePruned) {
      const pruned = copyJson(value)
      prune(pruned, schema, embedded)
      if (!deepEqual(pruned, value)) errors.push(invalid(path, value, 'must not have unknown fields'))
    }
    const { error } = coerceMeta(path, copyJson(value), schema, { isResourceRoot: embedded })
    problems = error === undefined ? validateMeta(path, value, schema, embedded) : [error]
    if (problems.length === 0) problems = validateSchema(path, value, schema)
  }
  if (problems.length > 0) {
    errors.push(...problems)
    return
  }
  const validator = newCelValidator(schema, schema === root)
  if (validator === undefined) return
  const replaced = validator.validate(path, value, value, state.budget)
  errors.push(...replaced.errors)
  let { remainingBudget } = replaced
  if (replaced.errors.length === 0) {
    // Rules with an optional oldSelf see a default for the first time, too.
    const created = validator.validate(path, value, undefined, state.budget)
    errors.push(...created.errors)
    remainingBudget = Math.min(remainingBudget, created.remainingBudget)
  }
  state.budget = remainingBudget
}

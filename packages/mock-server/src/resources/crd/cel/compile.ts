import { validFieldPath } from '../definition/field-path.ts'
import type { JsonSchemaProps, ValidationRule } from '../types.ts'
import { check, type Checked } from './checker.ts'
import { estimateCost } from './cost.ts'
import { assignTypeNames, maxRequestSizeBytes, structTypes, type DeclType } from './decl-type.ts'
import { newExpressions, storedExpressions, type Environment } from './environment.ts'
import { plan, PlanError, type Program } from './evaluator.ts'
import { checkLiterals } from './literal-checks.ts'
import { parse } from './parser.ts'
import { Source } from './source.ts'
import { boolType, optionalType, stringType, type CelType } from './types.ts'
import { sameType } from './unify.ts'

/*
 * Compiles the rules of a schema node (`pkg/apiserver/schema/cel: compilation.go`).
 */

/** What one rule has become. */
export interface CompilationResult {
  readonly rule: ValidationRule
  /** Why the rule is no good. */
  readonly error?: string
  /** Undefined for an empty rule, and for one that is no good. */
  readonly program?: Program
  /** The rule looks at the value that is replaced. */
  readonly usesOldSelf: boolean
  /** Most that one evaluation can cost. */
  readonly maxCost: bigint
  /** How often the node can be in an object. */
  readonly maxCardinality: bigint
  readonly messageExpression?: Program
  readonly messageExpressionError?: string
  readonly messageExpressionMaxCost: bigint
  /** `.a.b`, from the node. */
  readonly fieldPath: string
}

let typeCount = 0

/**
 * Compiles the rules of a node.
 *
 * @param preexisting expressions that have been accepted before, by a server that may have known more
 */
export function compileRules(
  schema: JsonSchemaProps,
  declType: DeclType,
  preexisting: Pick<ReadonlySet<string>, 'has'>,
): CompilationResult[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return []
  // Nobody can rely on a type's name that is never the same.
  const self = assignTypeNames(declType, `selfType${Date.now() % 1_000_000}${typeCount++ % 1000}`)
  const structs = structTypes(self)
  const maxCardinality = BigInt(Math.trunc(maxRequestSizeBytes / (declType.minSerializedSize + 1)))
  return rules.map((rule) => {
    const oldSelf = rule.optionalOldSelf === true ? optionalType(self.celType) : self.celType
    const variables = new Map([
      ['self', self.celType],
      ['oldSelf', oldSelf],
    ])
    const environmentFor = (text: string): Environment => (preexisting.has(text) ? storedExpressions : newExpressions)
    const compileText = (text: string): Compiled => compile(text, environmentFor(text), variables, structs, self)
    return compileRule(schema, rule, maxCardinality, compileText)
  })
}

interface Compiled {
  /** What the compiler says. */
  readonly issues?: string
  readonly instantiation?: string
  readonly checked: Checked
  readonly outputType: CelType | undefined
  readonly program?: Program
  readonly maxCost: bigint
}

function compileRule(
  schema: JsonSchemaProps,
  rule: ValidationRule,
  maxCardinality: bigint,
  compileText: (text: string) => Compiled,
): CompilationResult {
  const base = {
    rule,
    usesOldSelf: false,
    maxCost: 0n,
    maxCardinality: 0n,
    messageExpressionMaxCost: 0n,
    fieldPath: '',
  }
  const text = rule.rule ?? ''
  if (text.trim() === '') return base
  const compiled = compileText(text)
  if (compiled.issues !== undefined) return { ...base, error: `compilation failed: ${compiled.issues}` }
  if (!sameType(compiled.outputType!, boolType)) return { ...base, error: 'cel expression must evaluate to a bool' }
  const usesOldSelf = compiled.checked.variables.has('oldSelf')
  if (compiled.instantiation !== undefined) {
    return { ...base, usesOldSelf, error: `program instantiation failed: ${compiled.instantiation}` }
  }
  const result = { ...base, usesOldSelf, program: compiled.program!, maxCost: compiled.maxCost, maxCardinality }
  const message = compileMessage(rule.messageExpression ?? '', compileText)
  if (message.messageExpressionError !== undefined) return { ...result, ...message }
  return { ...result, ...message, fieldPath: normalizedPath(schema, rule.fieldPath ?? '') }
}

type MessagePart = Partial<
  Pick<CompilationResult, 'messageExpression' | 'messageExpressionError' | 'messageExpressionMaxCost'>
>

function compileMessage(text: string, compileText: (text: string) => Compiled): MessagePart {
  if (text === '') return {}
  const compiled = compileText(text)
  if (compiled.issues !== undefined) {
    return { messageExpressionError: `messageExpression compilation failed: ${compiled.issues}` }
  }
  if (!sameType(compiled.outputType!, stringType)) {
    return { messageExpressionError: 'messageExpression must evaluate to a string' }
  }
  if (compiled.instantiation !== undefined) {
    return { messageExpressionError: `messageExpression instantiation failed: ${compiled.instantiation}` }
  }
  return { messageExpression: compiled.program!, messageExpressionMaxCost: compiled.maxCost }
}

function normalizedPath(schema: JsonSchemaProps, path: string): string {
  if (path === '') return ''
  const valid = validFieldPath(path, schema)
  return 'error' in valid ? '' : valid.path
}

function compile(
  text: string,
  environment: Environment,
  variables: ReadonlyMap<string, CelType>,
  structs: ReadonlyMap<string, DeclType>,
  self: DeclType,
): Compiled {
  const source = new Source(text)
  const parsed = parse(source)
  const failed = (): Compiled => ({
    issues: source.display(),
    checked: { expr: parsed, types: new Map(), overloads: new Map(), typeNames: new Map(), variables: new Set() },
    outputType: undefined,
    maxCost: 0n,
  })
  if (source.errors.length > 0) return failed()
  const checked = check(parsed, source, { environment, variables, structs })
  if (source.errors.length > 0) return failed()
  checkLiterals(checked, source)
  if (source.errors.length > 0) return failed()
  const outputType = checked.types.get(checked.expr.id)
  try {
    const program = plan(checked, environment)
    return { checked, outputType, program, maxCost: estimateCost(checked, self).max }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { checked, outputType, instantiation: error.message, maxCost: 0n }
  }
}

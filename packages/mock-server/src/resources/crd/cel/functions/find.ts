import { compileRegexp } from '../../../../go/regexp.ts'
import { CelError, ValueList, type Value } from '../values.ts'
import { declare, type FunctionDecl, type Implementation } from './declare.ts'

/* Searching by regular expressions (`apiserver: pkg/cel/library/regex.go`). */

const text = (value: Value | undefined): string => value as string

const find: Implementation = ([value, pattern]) => {
  const compiled = compileRegexp(text(pattern))
  if ('error' in compiled) return new CelError(`Illegal regex: ${compiled.error}`)
  const matcher = compiled.pattern.matcher(text(value))
  return matcher.find() ? (matcher.group() ?? '') : ''
}

const findAll: Implementation = ([value, pattern, limit = -1n]) => {
  const compiled = compileRegexp(text(pattern))
  if ('error' in compiled) return new CelError(`Illegal regex: ${compiled.error}`)
  const matcher = compiled.pattern.matcher(text(value))
  const found: string[] = []
  const most = (limit as bigint) < 0n ? Infinity : Number(limit as bigint)
  while (found.length < most && matcher.find()) {
    found.push(matcher.group() ?? '')
  }
  return new ValueList(found)
}

export const findFunctions: readonly FunctionDecl[] = [
  declare('find', 'string_find_string string.(string) string', find),
  declare(
    'findAll',
    `string_find_all_string string.(string) list(string)
     string_find_all_string_int string.(string, int) list(string)`,
    findAll,
  ),
]

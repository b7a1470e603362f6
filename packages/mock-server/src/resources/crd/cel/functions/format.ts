import { isLabelKey, isLabelValue } from '@freshread/core'
import { parseRequestUri } from '../../../../go/url.ts'
import { isDNS1035Label, isDNSLabel, isDNSSubdomain, maskTrailingDash, type Check } from '../../../validation/names.ts'
import { matchesFormat } from '../../formats.ts'
import { FormatValue } from '../library-values.ts'
import { Optional, ValueList, type Value } from '../values.ts'
import { declare, type FunctionDecl } from './declare.ts'

/* Named formats of strings (`apiserver: pkg/cel/library/format.go`). */

const text = (value: Value | undefined): string => value as string

const masked =
  (check: Check): Check =>
  (value) =>
    check(maskTrailingDash(value))
const matching =
  (format: string, message: string): Check =>
  (value) =>
    matchesFormat(format, value) === true ? [] : [message]

const formats: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue('DNS1123Label', 30, isDNSLabel),
  dns1123Subdomain: new FormatValue('DNS1123Subdomain', 60, isDNSSubdomain),
  dns1035Label: new FormatValue('DNS1035Label', 30, isDNS1035Label),
  qualifiedName: new FormatValue('QualifiedName', 60, isLabelKey),
  dns1123LabelPrefix: new FormatValue('DNS1123LabelPrefix', 30, masked(isDNSLabel)),
  dns1123SubdomainPrefix: new FormatValue('DNS1123SubdomainPrefix', 60, masked(isDNSSubdomain)),
  dns1035LabelPrefix: new FormatValue('DNS1035LabelPrefix', 30, masked(isDNS1035Label)),
  labelValue: new FormatValue('LabelValue', 40, isLabelValue),
  uri: new FormatValue('URI', 1103, (value) => {
    const parsed = parseRequestUri(value)
    return 'error' in parsed ? [parsed.error] : []
  }),
  uuid: new FormatValue('uuid', 70, matching('uuid', 'does not match the UUID format')),
  byte: new FormatValue('byte', 84, matching('byte', 'invalid base64')),
  date: new FormatValue('date', 71, matching('date', 'invalid date')),
  datetime: new FormatValue('datetime', 71, matching('datetime', 'invalid datetime')),
}

export const formatFunctions: readonly FunctionDecl[] = [
  declare('validate', 'format-validate format.(string) optional(list(string))', ([format, value]) => {
    const problems = (format as FormatValue).check(text(value))
    return problems.length === 0 ? Optional.none : new Optional(new ValueList(problems))
  }),
  declare('format.named', 'format-named (string) optional(format)', ([name]) =>
    Object.hasOwn(formats, text(name)) ? new Optional(formats[text(name)]!) : Optional.none,
  ),
  ...Object.entries(formats).map(([name, format]) =>
    declare(`format.${name}`, `format-${name} () format`, () => format),
  ),
]

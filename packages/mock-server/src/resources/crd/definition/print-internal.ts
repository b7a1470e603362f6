import { PrintedValue } from '@freshread/core'
import { goJson } from '../../../go/text.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JsonSchemaProps,
  ValidationRule,
} from '../types.ts'
import type { InternalVersion } from './internal-spec.ts'

/*
 * Values as Go prints the internal types, where an error contains one.
 */

function orNull(value: unknown): string {
  return goJson(value ?? null)
}

function fields(...pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

function listOf<T>(list: readonly T[] | undefined, print: (item: T) => string): string {
  return list === undefined ? 'null' : `[${list.map(print).join(',')}]`
}

/** The versions as Go prints the internal type. */
export function printVersions(versions: readonly InternalVersion[]): PrintedValue {
  const text = listOf(versions, (version) =>
    fields(
      ['Name', goJson(version.name)],
      ['Served', String(version.served)],
      ['Storage', String(version.storage)],
      ['Deprecated', String(version.deprecated)],
      ['DeprecationWarning', orNull(version.deprecationWarning)],
      [
        'Schema',
        version.schema === undefined ? 'null' : fields(['OpenAPIV3Schema', schemaText(version.schema.openAPIV3Schema)]),
      ],
      ['Subresources', subresourcesText(version.subresources)],
      ['AdditionalPrinterColumns', listOf(version.additionalPrinterColumns, columnText)],
      [
        'SelectableFields',
        listOf(version.selectableFields, (field) => fields(['JSONPath', goJson(field.jsonPath ?? '')])),
      ],
    ),
  )
  return new PrintedValue(text)
}

function columnText(column: CustomResourceColumnDefinition): string {
  return fields(
    ['Name', goJson(column.name ?? '')],
    ['Type', goJson(column.type ?? '')],
    ['Format', goJson(column.format ?? '')],
    ['Description', goJson(column.description ?? '')],
    ['Priority', String(column.priority ?? 0)],
    ['JSONPath', goJson(column.jsonPath ?? '')],
  )
}

function subresourcesText(subresources: CustomResourceSubresources | undefined): string {
  if (subresources === undefined) return 'null'
  const { scale, status } = subresources
  return fields(
    ['Status', status === undefined ? 'null' : '{}'],
    [
      'Scale',
      scale === undefined
        ? 'null'
        : fields(
            ['SpecReplicasPath', goJson(scale.specReplicasPath ?? '')],
            ['StatusReplicasPath', goJson(scale.statusReplicasPath ?? '')],
            ['LabelSelectorPath', orNull(scale.labelSelectorPath)],
          ),
    ],
  )
}

function ruleText(rule: ValidationRule): string {
  return fields(
    ['Rule', goJson(rule.rule ?? '')],
    ['Message', goJson(rule.message ?? '')],
    ['MessageExpression', goJson(rule.messageExpression ?? '')],
    ['Reason', orNull(rule.reason)],
    ['FieldPath', goJson(rule.fieldPath ?? '')],
    ['OptionalOldSelf', orNull(rule.optionalOldSelf)],
  )
}

/** A rule as Go prints the internal type. */
export function printRule(rule: ValidationRule): PrintedValue {
  return new PrintedValue(ruleText(rule))
}

/** A schema as Go prints the internal type, all of its fields. */
export function printSchema(schema: JsonSchemaProps): PrintedValue {
  return new PrintedValue(schemaText(schema))
}

function schemaText(schema: JsonSchemaProps | undefined): string {
  if (schema === undefined) return 'null'
  const map = (schemas: Readonly<Record<string, JsonSchemaProps>> | undefined): string =>
    schemas === undefined
      ? 'null'
      : `{${Object.keys(schemas)
          .sort()
          .map((name) => `${goJson(name)}:${schemaText(schemas[name])}`)
          .join(',')}}`
  const orBool = (value: JsonSchemaProps | boolean | undefined): string => {
    if (value === undefined) return 'null'
    const isSchema = typeof value === 'object'
    return fields(['Allows', String(isSchema || value)], ['Schema', isSchema ? schemaText(value) : 'null'])
  }
  const text = (value: string | undefined): string => goJson(value ?? '')
  const flag = (value: boolean | undefined): string => String(value ?? false)
  return fields(
    ['ID', text(schema.id)],
    ['Schema', text(schema.$schema)],
    ['Ref', orNull(schema.$ref)],
    ['Description', text(schema.description)],
    ['Type', text(schema.type)],
    ['Nullable', flag(schema.nullable)],
    ['Format', text(schema.format)],
    ['Title', text(schema.title)],
    ['Default', orNull(schema.default)],
    ['Maximum', orNull(schema.maximum)],
    ['ExclusiveMaximum', flag(schema.exclusiveMaximum)],
    ['Minimum', orNull(schema.minimum)],
    ['ExclusiveMinimum', flag(schema.exclusiveMinimum)],
    ['MaxLength', orNull(schema.maxLength)],
    ['MinLength', orNull(schema.minLength)],
    ['Pattern', text(schema.pattern)],
    ['MaxItems', orNull(schema.maxItems)],
    ['MinItems', orNull(schema.minItems)],
    ['UniqueItems', flag(schema.uniqueItems)],
    ['MultipleOf', orNull(schema.multipleOf)],
    ['Enum', orNull(schema.enum)],
    ['MaxProperties', orNull(schema.maxProperties)],
    ['MinProperties', orNull(schema.minProperties)],
    ['Required', orNull(schema.required)],
    [
      'Items',
      schema.items === undefined ? 'null' : fields(['Schema', schemaText(schema.items)], ['JSONSchemas', 'null']),
    ],
    ['AllOf', listOf(schema.allOf, schemaText)],
    ['OneOf', listOf(schema.oneOf, schemaText)],
    ['AnyOf', listOf(schema.anyOf, schemaText)],
    ['Not', schemaText(schema.not)],
    ['Properties', map(schema.properties)],
    ['AdditionalProperties', orBool(schema.additionalProperties)],
    ['PatternProperties', map(schema.patternProperties)],
    ['Dependencies', orNull(schema.dependencies)],
    ['AdditionalItems', orBool(schema.additionalItems)],
    ['Definitions', map(schema.definitions)],
    [
      'ExternalDocs',
      schema.externalDocs === undefined
        ? 'null'
        : fields(['Description', text(schema.externalDocs.description)], ['URL', text(schema.externalDocs.url)]),
    ],
    ['Example', orNull(schema.example)],
    ['XPreserveUnknownFields', orNull(schema['x-kubernetes-preserve-unknown-fields'])],
    ['XEmbeddedResource', flag(schema['x-kubernetes-embedded-resource'])],
    ['XIntOrString', flag(schema['x-kubernetes-int-or-string'])],
    ['XListMapKeys', orNull(schema['x-kubernetes-list-map-keys'])],
    ['XListType', orNull(schema['x-kubernetes-list-type'])],
    ['XMapType', orNull(schema['x-kubernetes-map-type'])],
    ['XValidations', listOf(schema['x-kubernetes-validations'], ruleText)],
  )
}

import { supportedFormat } from '../formats.ts'
import { compareUtf8 } from '../../../go/text.ts'
import type { CustomResourceDefinition, JsonSchemaProps } from '../types.ts'
import { schemaHas } from './schema-walk.ts'

/** Warnings about a definition; on an update only those that are new (`pkg/registry/customresourcedefinition: WarningsOnUpdate`). */
export function definitionWarnings(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): string[] {
  const before = new Set(old === undefined ? [] : [...unrecognizedFormats(old), ...nonScalarSets(old)])
  return [...unrecognizedFormats(crd), ...nonScalarSets(crd)].filter((warning) => !before.has(warning))
}

function visitSchemas(crd: CustomResourceDefinition, visit: (schema: JsonSchemaProps) => void): void {
  const versions = crd.spec?.versions ?? []
  const schemas = versions.flatMap(({ schema }): JsonSchemaProps[] =>
    schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : [],
  )
  // Where all versions are the same, they are looked at as one.
  const seen = new Set<string>()
  for (const schema of schemas) {
    const text = JSON.stringify(schema)
    if (seen.has(text) && schemas.every((other) => JSON.stringify(other) === text)) continue
    seen.add(text)
    schemaHas(schema, (node) => {
      visit(node)
      return false
    })
  }
}

function unrecognizedFormats(crd: CustomResourceDefinition): string[] {
  const warnings: string[] = []
  visitSchemas(crd, (schema) => {
    if (!schema.format) return
    const { 'x-kubernetes-int-or-string': _, ...plain } = schema
    if (supportedFormat(plain) === '') warnings.push(`unrecognized format ${JSON.stringify(schema.format)}`)
  })
  return warnings
}

function nonScalarSets(crd: CustomResourceDefinition): string[] {
  const warnings = new Set<string>()
  visitSchemas(crd, (schema) => {
    const type = schema.items?.type
    if (schema['x-kubernetes-list-type'] !== 'set' || (type !== 'object' && type !== 'array')) return
    warnings.add(
      `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`,
    )
  })
  return [...warnings].sort(compareUtf8)
}

import type { KubeObject } from '@freshread/core'
import type { RawSchema } from '../schema.ts'

/** One rule of `x-kubernetes-validations` (`apiextensions/v1: ValidationRule`). */
export interface ValidationRule {
  readonly rule?: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** `apiextensions/v1: JSONSchemaProps`, the keywords by name. Where definitions are validated, values have these types already. */
export interface JsonSchemaProps extends RawSchema {
  readonly id?: string
  readonly $schema?: string
  readonly description?: string
  readonly title?: string
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly example?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly items?: JsonSchemaProps
  readonly allOf?: readonly JsonSchemaProps[]
  readonly oneOf?: readonly JsonSchemaProps[]
  readonly anyOf?: readonly JsonSchemaProps[]
  readonly not?: JsonSchemaProps
  readonly properties?: Readonly<Record<string, JsonSchemaProps>>
  readonly additionalProperties?: JsonSchemaProps | boolean
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>>
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | readonly string[]>>
  readonly additionalItems?: JsonSchemaProps | boolean
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>>
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

export interface CustomResourceDefinitionNames {
  readonly plural?: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind?: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface CustomResourceColumnDefinition {
  readonly name?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath?: string
}

export interface CustomResourceSubresourceScale {
  readonly specReplicasPath?: string
  readonly statusReplicasPath?: string
  readonly labelSelectorPath?: string
}

export interface CustomResourceSubresources {
  readonly status?: object
  readonly scale?: CustomResourceSubresourceScale
}

export interface SelectableField {
  readonly jsonPath?: string
}

export interface CustomResourceDefinitionVersion {
  readonly name?: string
  readonly served?: boolean
  readonly storage?: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps }
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

interface WebhookClientConfig {
  readonly url?: string
  readonly service?: {
    readonly namespace?: string
    readonly name?: string
    readonly path?: string
    readonly port?: number
  }
  readonly caBundle?: string
}

export interface CustomResourceConversion {
  readonly strategy?: string
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig
    readonly conversionReviewVersions?: readonly string[]
  }
}

export interface CustomResourceDefinitionSpec {
  readonly group?: string
  readonly names?: CustomResourceDefinitionNames
  readonly scope?: string
  readonly versions?: readonly CustomResourceDefinitionVersion[]
  readonly conversion?: CustomResourceConversion
  readonly preserveUnknownFields?: boolean
}

export interface CustomResourceDefinitionCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export interface CustomResourceDefinitionStatus {
  readonly conditions?: readonly CustomResourceDefinitionCondition[] | null
  readonly acceptedNames?: CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[] | null
}

/** `apiextensions.k8s.io/v1: CustomResourceDefinition`. */
export interface CustomResourceDefinition extends KubeObject {
  spec?: CustomResourceDefinitionSpec
  status?: CustomResourceDefinitionStatus
}

/** An object as JSON has it. */
export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The schema of a property, own properties only: a field may be called `constructor`. */
export function propertySchema(schema: JsonSchemaProps | undefined, name: string): JsonSchemaProps | undefined {
  const properties = schema?.properties
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** The schema of the values of a map; undefined where it is a mere boolean. */
export function additionalSchema(schema: JsonSchemaProps | undefined): JsonSchemaProps | undefined {
  const additional = schema?.additionalProperties
  return typeof additional === 'object' ? additional : undefined
}

/** `x-kubernetes-embedded-resource` put on a root, as the engine treats one. */
export function asResourceRoot(schema: JsonSchemaProps | undefined): JsonSchemaProps {
  if (schema?.['x-kubernetes-embedded-resource'] === true) return schema
  return { ...schema, 'x-kubernetes-embedded-resource': true }
}

export const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

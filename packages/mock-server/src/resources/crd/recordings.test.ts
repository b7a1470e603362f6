import { readdirSync, readFileSync } from 'node:fs'
import type { FieldError, KubeObject } from '@freshread/core'
import { describe, expect, it } from 'vitest'
import { definitionStrategy, setDefinitionDefaults } from './definition-strategy.ts'
import { validateDefinition } from './definition/validate.ts'
import { customResourceStrategy } from './strategy.ts'
import type { CustomResourceDefinition } from './types.ts'
import type { StrategyContext } from '../strategy.ts'

interface Step {
  readonly id?: string
  readonly method?: string
  readonly path?: string
  readonly body?: KubeObject
  readonly rawBody?: string
}
interface Answer {
  readonly id: string
  readonly status: number
  readonly body: KubeObject & { readonly details?: { readonly causes?: readonly { field: string; message: string }[] } }
}
interface Recording {
  readonly name: string
  readonly steps: readonly Step[]
  readonly expect: readonly Answer[]
}

const folder = new URL('../../../../../conformance/recordings/crd/', import.meta.url)
const recordings = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recording,
)
const definitionsPath = /^\/apis\/apiextensions\.k8s\.io\/v1\/customresourcedefinitions(\?|$)/
const objectsPath = /^\/apis\/([^/]+)\/([^/]+)\/namespaces\/[^/]+\/([^/?]+)(\?.*)?$/

const causesOf = (answer: Answer): string[] =>
  (answer.body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`).sort()
const textsOf = (errors: readonly FieldError[]): string[] =>
  errors.map((error) => `${error.field}: ${error.body}`).sort()
const plain = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll(/selfType\w+/g, 'selfType'))

/** Causes that the verbs find: they look at the metadata of every object. */
const isMetadata = (text: string): boolean =>
  /^metadata\.(labels|name|namespace)\b/.test(text) && !text.includes('spec.names.plural')

interface Case {
  readonly id: string
  readonly answer: Answer
  readonly object: KubeObject
}

function posts(recording: Recording, path: RegExp): (Case & { readonly path: string })[] {
  const answers = new Map(recording.expect.map((answer) => [answer.id, answer]))
  return recording.steps.flatMap((step) => {
    const answer = answers.get(step.id ?? '')
    if (step.method !== 'POST' || step.body === undefined || answer === undefined || !path.test(step.path ?? ''))
      return []
    return [{ id: step.id!, answer, object: structuredClone(step.body), path: step.path! }]
  })
}

const definitions = recordings.flatMap((recording) =>
  posts(recording, definitionsPath)
    .filter(({ answer }) => answer.status === 201 || answer.status === 422)
    .map((post) => ({ ...post, name: `${recording.name} ${post.id}` })),
)

describe('definitions that a real kube-apiserver took or refused', () => {
  it.each(definitions)('$name', ({ object, answer }) => {
    const crd = object as CustomResourceDefinition
    setDefinitionDefaults(crd)
    void definitionStrategy.prepareForCreate!(crd, {} as StrategyContext)
    expect(plain(textsOf(validateDefinition(crd)))).toEqual(plain(causesOf(answer).filter((text) => !isMetadata(text))))
  })
})

const objects = recordings.flatMap((recording) => {
  const known = new Map<string, CustomResourceDefinition>()
  for (const { object, answer } of posts(recording, definitionsPath)) {
    const crd = object as CustomResourceDefinition
    // Definitions that change on the way are for tests of the whole server.
    if (answer.status !== 201 || /deletion|change/.test(recording.name)) continue
    setDefinitionDefaults(crd)
    known.set(`${crd.spec!.group}/${crd.spec!.names!.plural}`, crd)
  }
  return posts(recording, objectsPath).flatMap((post) => {
    const [, group, version, plural] = objectsPath.exec(post.path)!
    const crd = known.get(`${group}/${plural}`)
    if (crd === undefined || (post.answer.status !== 201 && post.answer.status !== 422)) return []
    if (post.object.kind !== crd.spec!.names!.kind) return []
    return [{ ...post, crd, version: version!, name: `${recording.name} ${post.id}` }]
  })
})

describe('objects that a real kube-apiserver took or refused', () => {
  it.each(objects)('$name', ({ object, answer, crd, version }) => {
    const strategy = customResourceStrategy(crd, version)
    object.metadata ??= {}
    strategy.coerce!(object)
    strategy.setDefaults!(object)
    void strategy.prepareForCreate!(object, {} as StrategyContext)
    const errors = textsOf(strategy.validate!(object, {} as StrategyContext))
    expect(errors).toEqual(causesOf(answer).filter((text) => !isMetadata(text)))
    // What is not stored, or has times in it, cannot be compared.
    const comparable = answer.status === 201 && !JSON.stringify(answer.body['spec'] ?? {}).includes('"$')
    expect(comparable ? object['spec'] : undefined).toEqual(comparable ? answer.body['spec'] : undefined)
  })
})

it('looks at enough of them to mean something', () => {
  expect(definitions.length).toBeGreaterThan(60)
  expect(objects.length).toBeGreaterThan(100)
})

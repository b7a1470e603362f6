import { describe, expect, it } from 'vitest'
import { FieldSelector } from './field-selector.ts'
import { LabelSelector } from './label-selector.ts'
import { defaultClusterScopedAttributes, SelectionPredicate } from './selection-predicate.ts'

function predicate(labels: string, fields: string): SelectionPredicate {
  return new SelectionPredicate({
    label: LabelSelector.parse(labels),
    field: FieldSelector.parse(fields),
    indexFields: ['spec.nodeName', 'metadata.namespace'],
    indexLabels: ['app'],
  })
}

describe('SelectionPredicate', () => {
  it('matches by labels and fields', () => {
    const object = { metadata: { name: 'a', namespace: 'ns', labels: { app: 'x' } } }
    expect(SelectionPredicate.everything.empty).toBe(true)
    expect(SelectionPredicate.everything.matches(object)).toBe(true)
    expect(predicate('app=x', 'metadata.namespace=ns').matches(object)).toBe(true)
    expect(predicate('app=x', 'metadata.name=b').matches(object)).toBe(false)
    expect(predicate('app!=x', '').matches(object)).toBe(false)
    const clusterScoped = predicate('', 'metadata.namespace=ns').with({ getAttributes: defaultClusterScopedAttributes })
    expect(clusterScoped.matches(object)).toBe(false)
  })

  it('reads no attributes when it selects everything', () => {
    const getAttributes = (): never => expect.unreachable()
    expect(new SelectionPredicate({ getAttributes }).matches({ metadata: {} })).toBe(true)
  })

  it('knows the one name and the one namespace that can match', () => {
    expect(predicate('', 'metadata.name=a,metadata.namespace=ns').matchesSingle()).toBe('a')
    expect(predicate('', 'metadata.name=a,metadata.namespace=ns').matchesSingleNamespace()).toBe('ns')
    expect(predicate('', 'metadata.name!=a').matchesSingle()).toBeUndefined()
    expect(predicate('', 'metadata.name=a').with({ continue: 'token' }).matchesSingle()).toBeUndefined()
  })

  it.each([
    ['', '', '', []],
    ['', 'spec.nodeName=n', '', [{ indexName: 'f:spec.nodeName', value: 'n' }]],
    ['', 'spec.nodeName!=n', '', []],
    ['app in (x)', '', '', [{ indexName: 'l:app', value: 'x' }]],
    ['app in (x,y)', '', '', []],
    ['', '', 'ns', [{ indexName: 'f:metadata.namespace', value: 'ns' }]],
    ['', 'metadata.namespace=a', 'ns', [{ indexName: 'f:metadata.namespace', value: 'a' }]],
    [
      'app==x',
      'spec.nodeName==n',
      '',
      [
        { indexName: 'f:spec.nodeName', value: 'n' },
        { indexName: 'l:app', value: 'x' },
      ],
    ],
  ])('finds the indexes for labels %j, fields %j in namespace %j', (labels, fields, namespace, expected) => {
    expect(predicate(labels, fields).matcherIndex(namespace)).toEqual(expected)
  })
})

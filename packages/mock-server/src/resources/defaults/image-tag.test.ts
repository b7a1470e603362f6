import { describe, expect, it } from 'vitest'
import { defaultPullPolicy, imageTag } from './image-tag.ts'

describe('imageTag', () => {
  it.each([
    ['nginx', 'latest'],
    ['nginx:1.27', '1.27'],
    ['registry:5000/nginx', 'latest'],
    ['registry:5000/team/nginx:v1', 'v1'],
  ])('of %s is %s', (image, tag) => {
    expect(imageTag(image)).toBe(tag)
  })
})

describe('defaultPullPolicy', () => {
  it('pulls always what may have changed', () => {
    expect(defaultPullPolicy('nginx')).toBe('Always')
    expect(defaultPullPolicy('nginx:latest')).toBe('Always')
    expect(defaultPullPolicy('nginx:1')).toBe('IfNotPresent')
    expect(defaultPullPolicy(`nginx@sha256:${'0'.repeat(64)}`)).toBe('IfNotPresent')
  })
})

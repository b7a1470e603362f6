import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LoadInput } from './load-source.ts'
import { createKubeServer, type KubeServer } from './server.ts'

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`

let kube: KubeServer
beforeEach(() => {
  kube = createKubeServer()
})
afterEach(() => kube.close())

const namesOf = async (input: LoadInput): Promise<(string | undefined)[]> =>
  (await kube.load(input)).map(({ metadata }) => metadata.name)

describe('files', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'freshread-load-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const write = async (name: string, text: string): Promise<URL> => {
    const path = join(folder, name)
    await writeFile(path, text)
    return pathToFileURL(path)
  }

  test('a file: URL loads all documents of the file', async () => {
    const file = await write('two words.yaml', `${configMap('a')}---\n${configMap('b')}`)
    expect(await namesOf(file)).toEqual(['a', 'b'])
    expect((await kube.dump('configmaps')).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['a', 'b']),
    )
  })

  test('files, text and objects load together, in their order', async () => {
    const file = await write('a.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }))
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }
    expect(await namesOf([file, configMap('b'), object, new Blob([configMap('d')])])).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a Blob and a File load their text', async () => {
    expect(await namesOf(new Blob([configMap('a')]))).toEqual(['a'])
    expect(await namesOf(new File([configMap('b'), '---\n', configMap('c')], 'objects.yaml'))).toEqual(['b', 'c'])
  })

  test('a file that is missing is named, and nothing is loaded', async () => {
    const missing = pathToFileURL(join(folder, 'missing.yaml'))
    await expect(kube.load([configMap('a'), missing])).rejects.toThrow(
      `load: cannot read ${missing.href}: ENOENT: no such file`,
    )
    expect((await kube.dump('configmaps')).map(({ metadata }) => metadata.name)).not.toContain('a')
  })

  test('a file that holds no objects is named', async () => {
    const broken = await write('broken.yaml', 'a: [1')
    await expect(kube.load(broken)).rejects.toThrow(`load: ${broken.href}: Flow sequence`)
    await expect(kube.load(new File(['just words'], 'words.txt'))).rejects.toThrow(
      /^load: words\.txt: no object: just words$/,
    )
    await expect(kube.load(new Blob(['{metadata: {}}']))).rejects.toThrow(
      'load: a Blob: an object needs apiVersion and kind',
    )
  })

  test('only file: URLs are read', async () => {
    await expect(kube.load(new URL('https://example.com/pods.yaml'))).rejects.toThrow(
      'load: of URLs only file: can be read, got https://example.com/pods.yaml',
    )
  })

  test('where there is no Node a file: URL is refused', async () => {
    vi.stubGlobal('process', undefined)
    try {
      await expect(kube.load(new URL('file:///pods.yaml'))).rejects.toThrow(
        'load: file: URLs can only be read in Node, got file:///pods.yaml',
      )
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

test('a path in place of text says how a file is given', async () => {
  await expect(kube.load('pods.yaml')).rejects.toThrow(
    'load: no object: pods.yaml; a file is given as new URL(path, import.meta.url)',
  )
})

test('what is neither text nor object nor file is refused', async () => {
  await expect(kube.load(5 as unknown as string)).rejects.toThrow('load: expected YAML, objects or files, got 5')
})

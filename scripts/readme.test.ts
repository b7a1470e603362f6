import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = globSync(['README.md', 'packages/*/README.md', 'docs/*.md'], { cwd: root }).sort()

/** A block of TypeScript of a page. */
interface Block {
  readonly page: string
  /** Line of its first line in the page, from 1. */
  readonly line: number
  readonly code: string
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    code,
  }))
}

const blocks = pages.flatMap(blocksOf)
const readersOwn = readFileSync(new URL('readers-own.d.ts', import.meta.url), 'utf8')
const readersNames = [...readersOwn.matchAll(/^ {2}const (\w+)/gm)].map(([, name]) => name)

/** Blocks that bring all they use. Tests cannot run in a test, nor pages in Node. */
const runnable = blocks.filter(({ code }) => {
  const names = code.replaceAll(/'[^'\n]*'|\/\/.*$/gm, '')
  const lacks = (name: string | undefined): boolean =>
    new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(names) && !new RegExp(`const [^=]*\\b${name}\\b`).test(names)
  return (
    /^import .* from '@freshread\//m.test(code) &&
    /\bawait\b/.test(code) &&
    !/@freshread\/mock-server\/(vitest|browser)'/.test(code) &&
    !readersNames.some(lacks)
  )
})

/** Blocks become files beside the examples, whose packages they import; hidden from what looks for the sources of those. */
let folder: string
const fileOf = ({ page, line }: Block): string => join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.ts`)

beforeAll(() => {
  folder = mkdtempSync(join(root, 'examples', '.readme-'))
  for (const block of blocks) {
    const file = fileOf(block)
    mkdirSync(dirname(file), { recursive: true })
    // Lines of errors are those of the page; a file without imports is a module all the same.
    writeFileSync(file, `${'\n'.repeat(block.line - 1)}${block.code}\nexport {}\n`)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the code of the READMEs and of docs/', () => {
  test('type-checks', { timeout: 60_000 }, () => {
    writeFileSync(join(folder, 'readers-own.d.ts'), readersOwn)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: { types: ['node'] },
        files: ['readers-own.d.ts', ...blocks.map(fileOf)],
      }),
    )
    const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
      cwd: root,
      encoding: 'utf8',
    })
    // What is wrong in the packages themselves is for their own type check.
    const ofPages = stdout.split('\n').filter((line) => /^(examples\/\.readme|error)/.test(line))
    expect([...ofPages, stderr].join('\n')).toBe('')
  })

  test.each(runnable)('runs: $page, line $line', async (block) => {
    await import(pathToFileURL(fileOf(block)).href)
  })

  test('is found and, where it needs nothing of its reader, run', () => {
    expect(blocks.length).toBeGreaterThan(10)
    const run = new Set(runnable.map(({ page }) => page))
    expect(run).toEqual(new Set(['docs/testing.md', 'packages/core/README.md', 'packages/mock-server/README.md']))
  })
})

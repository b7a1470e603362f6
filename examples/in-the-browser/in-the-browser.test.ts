import { fileURLToPath } from 'node:url'
import chromium from '@sparticuz/chromium'
import { build } from 'esbuild'
import { chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ClientOutcome } from './client.ts'
import type { Outcome } from './page.ts'

let browser: Awaited<ReturnType<typeof playwright.launch>>
let page: Awaited<ReturnType<typeof browser.newPage>>

beforeAll(async () => {
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args,
    headless: true,
  })
  // One page for all: this Chromium ends with its page.
  page = await browser.newPage()
  // The page's own origin; no request for the cluster may get this far.
  await page.route('**/*', (route) =>
    route.request().url() === 'http://page.example/'
      ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>…</body>' })
      : route.abort(),
  )
}, 60_000)

afterAll(() => browser?.close())

it(
  'reads its own write in a page once the frozen cache thaws, and a watch delivers it',
  { timeout: 60_000 },
  async () => {
    const outcome = (await outcomeOf('page.ts')) as Outcome
    expect(outcome).toMatchObject({ stale: 'info', fresh: 'debug', waits: 1, watched: ['MODIFIED settings debug'] })
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(4000)
  },
)

it(
  'pins, waits, watches and informs in a page, over xhr and fetch, and leaves nothing open',
  { timeout: 60_000 },
  async () => {
    expect(await outcomeOf('client.ts')).toEqual({
      fresh: '2',
      aborted: 'CanceledError',
      timersAfterAbort: -1,
      deleted: 404,
      told: ['add b 1', 'update b 2', 'add c 1'],
      watched: ['ADDED', 'ADDED'],
      watchesLeft: 0,
      timersLeft: 0,
    } satisfies ClientOutcome)
  },
)

/** Runs a program in a page; answers what it shows in the end. */
async function outcomeOf(file: string): Promise<unknown> {
  const errors: string[] = []
  const onError = (error: Error): void => void errors.push(error.message)
  page.on('pageerror', onError)
  await page.goto('http://page.example/')
  await page.addScriptTag({ content: await bundle(file) })
  await page.waitForFunction(() => document.body.textContent?.startsWith('{'), undefined, { timeout: 30_000 })
  const outcome = JSON.parse((await page.textContent('body')) ?? '') as unknown
  page.off('pageerror', onError)
  expect(errors).toEqual([])
  return outcome
}

/** Bundled as an application's own bundler would do it; fails when anything of Node's is imported. */
async function bundle(file: string): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    conditions: ['@freshread/source', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return result.outputFiles[0]!.text
}

import { fileURLToPath } from 'node:url'
import chromium from '@sparticuz/chromium'
import { build } from 'esbuild'
import { chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Outcome } from './page.ts'

let browser: Awaited<ReturnType<typeof playwright.launch>>

beforeAll(async () => {
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args,
    headless: true,
  })
}, 60_000)

afterAll(() => browser?.close())

it(
  'reads its own write in a page once the frozen cache thaws, and a watch delivers it',
  { timeout: 60_000 },
  async () => {
    const script = await bundle('page.ts')
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    // The page's own origin; no request for the cluster may get this far.
    await page.route('**/*', (route) =>
      route.request().url() === 'http://page.example/'
        ? route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>…</body>' })
        : route.abort(),
    )
    await page.goto('http://page.example/')
    await page.addScriptTag({ content: script })
    await page.waitForFunction(() => document.body.textContent?.startsWith('{'), undefined, { timeout: 30_000 })
    const outcome = JSON.parse((await page.textContent('body')) ?? '') as Outcome
    expect(errors).toEqual([])
    expect(outcome).toMatchObject({ stale: 'info', fresh: 'debug', waits: 1, watched: ['MODIFIED settings debug'] })
    expect(outcome.waitedMs).toBeGreaterThanOrEqual(4000)
  },
)

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

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** A program that uses a server in every way and closes it; it must come to its end without being told. */
const PROGRAM = `
  import { serve } from './http.ts'
  import { setupKubeServer } from './msw.ts'
  const json = { 'content-type': 'application/json' }
  async function use(base) {
    const maps = base + '/api/v1/namespaces/default/configmaps'
    await fetch(maps, { method: 'POST', headers: json, body: '{"metadata":{"name":"a"}}' })
    const watching = await fetch(maps + '?watch=true&resourceVersion=1')
    const pinned = fetch(maps + '?resourceVersion=100000').catch(() => undefined)
    return { watching: watching.text().catch(() => undefined), pinned }
  }
  const served = await serve()
  served.server.control.lag(500)
  await use(served.url)
  await served.close()
  const kube = await setupKubeServer({ controllers: ['namespace'] })
  kube.control.freeze()
  await use('https://any.cluster')
  await kube.close()
  console.log('closed')
`

it(
  'leaves no timer, socket or server behind after close, so that the process ends by itself',
  { timeout: 60_000 },
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--conditions=@freshread/source',
        '--input-type=module',
        '--eval',
        PROGRAM.replaceAll("'./", `'${new URL('.', import.meta.url).href}`),
      ],
      { timeout: 50_000 },
    )
    expect(stdout).toBe('closed\n')
  },
)

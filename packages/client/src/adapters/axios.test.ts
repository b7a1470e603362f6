import { FakeClock } from '@freshread/core/testing'
import axios, { AxiosError, create, type AxiosInstance, type AxiosRequestConfig } from 'axios'
import { describe, expect, it, vi } from 'vitest'
import { NOT_YET, type Scripted, configMap, configMapList, scriptedFetch } from '../../test/scripted.ts'
import { triesOf } from '../exchange.ts'
import { FreshReadSession } from '../session.ts'
import { attachFreshRead } from './axios.ts'

const LIST = '/api/v1/namespaces/default/configmaps'

interface Setup {
  readonly clock: FakeClock
  readonly session: FreshReadSession
  readonly instance: AxiosInstance
  readonly detach: () => void
  readonly paths: () => string[]
}

function setup(
  script: readonly Scripted[],
  config: AxiosRequestConfig = {},
  fallback: 'unpin' | 'error' = 'unpin',
): Setup {
  const clock = new FakeClock(0)
  const session = new FreshReadSession({ clock, random: () => 0, fallback, warn: () => {} })
  const server = scriptedFetch(clock, script)
  const instance = create({
    baseURL: 'http://h',
    adapter: 'fetch',
    env: { fetch: server.fetch },
    ...config,
  } as AxiosRequestConfig)
  const detach = attachFreshRead(instance, session)
  return {
    clock,
    session,
    instance,
    detach,
    paths: () => server.sent.map(({ url }) => decodeURIComponent(url.replace('http://h', ''))),
  }
}

describe('attachFreshRead', () => {
  it('pins requests whose query is in params or in the URL', async () => {
    const { instance, paths } = setup([configMap('a', '7'), configMapList('7')])
    await instance.post(LIST, { metadata: { name: 'a' } })
    const response = await instance.get(LIST, { params: { limit: 5, resourceVersion: '0' } })
    await instance.get(`${LIST}?limit=5`, { params: { labelSelector: 'a=b' } })
    expect(paths().slice(1)).toEqual([
      `${LIST}?limit=5&resourceVersion=7&resourceVersionMatch=NotOlderThan`,
      `${LIST}?limit=5&labelSelector=a=b&resourceVersion=7&resourceVersionMatch=NotOlderThan`,
    ])
    expect(response.config).toMatchObject({
      url: LIST,
      baseURL: 'http://h',
      params: { limit: 5, resourceVersion: '0' },
    })
  })

  it('keeps the instance’s interceptors, whenever they were added', async () => {
    const seen: string[] = []
    const clock = new FakeClock(0)
    const server = scriptedFetch(clock, [configMap('a', '7'), NOT_YET, configMap('a', '8')])
    const instance = create({
      baseURL: 'http://h',
      adapter: 'fetch',
      env: { fetch: server.fetch },
    } as AxiosRequestConfig)
    instance.interceptors.request.use((config) => (seen.push('request before'), config))
    instance.interceptors.response.use((response) => (seen.push(`response ${response.status}`), response))
    attachFreshRead(instance, new FreshReadSession({ clock }))
    instance.interceptors.request.use(
      (config) => (seen.push('request after'), { ...config, headers: config.headers.set('x', 'y') }),
    )
    await instance.post(LIST, {})
    const read = instance.get(`${LIST}/a`)
    await clock.step(5000)
    expect((await read).data).toMatchObject({ metadata: { resourceVersion: '8' } })
    expect(seen).toEqual([
      'request after',
      'request before',
      'response 200',
      'request after',
      'request before',
      'response 200',
    ])
  })

  it('keeps validateStatus and transformResponse', async () => {
    const { instance, clock } = setup(
      [configMap('a', '7'), NOT_YET, { status: 404, body: { kind: 'Status', reason: 'NotFound' } }],
      { validateStatus: (status) => status < 500, transformResponse: [(text: string) => `<${text.length}>`] },
    )
    expect((await instance.post(LIST, {})).data).toMatch(/^<\d+>$/)
    const read = instance.get(`${LIST}/a`)
    await clock.step(4000)
    expect(await read).toMatchObject({ status: 404, data: expect.stringMatching(/^<\d+>$/) as string })
  })

  it('rejects with axios’ own errors, with the history of tries', async () => {
    const { instance, clock } = setup([configMap('a', '7'), NOT_YET], {}, 'error')
    await instance.post(LIST, {})
    const read = instance.get(`${LIST}/a`).catch((error: unknown) => error)
    await clock.step(7000)
    const error = (await read) as AxiosError
    expect(error).toBeInstanceOf(AxiosError)
    expect(error.response).toMatchObject({ status: 504, data: { kind: 'Status', reason: 'Timeout' } })
    expect(error.config?.url).toBe(`${LIST}/a`)
    expect(triesOf(error)).toHaveLength(2)
  })

  it('gives each of identical reads an answer of its own', async () => {
    const { instance, paths } = setup([configMapList('7')])
    const [a, b] = await Promise.all([instance.get<{ items: string[] }>(LIST), instance.get<{ items: string[] }>(LIST)])
    a.data.items.push('mine')
    expect(b.data.items).toEqual([])
    expect(paths()).toHaveLength(1)
  })

  it('gives each of identical reads a refusal of its own', async () => {
    const { instance, paths } = setup([{ status: 404, body: { kind: 'Status', reason: 'NotFound' } }])
    const [a, b] = await Promise.all(
      [1, 2].map(() => instance.get(`${LIST}/a`).catch((error: unknown) => error as AxiosError)),
    )
    expect(a).not.toBe(b)
    for (const error of [a, b]) expect(error).toMatchObject({ response: { status: 404, data: { reason: 'NotFound' } } })
    expect(paths()).toHaveLength(1)
  })

  it('keeps validateStatus and timeout of reads that would else be one', async () => {
    const { instance, paths } = setup([{ status: 404, body: { kind: 'Status' } }])
    const reads = await Promise.allSettled([
      instance.get(`${LIST}/a`),
      instance.get(`${LIST}/a`, { validateStatus: () => true }),
      instance.get(`${LIST}/a`, { timeout: 60_000 }),
    ])
    expect(reads.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    expect(paths()).toHaveLength(3)
  })

  it('shows a broken request as the caller wrote it, for whoever sends it again', async () => {
    const { instance, clock, paths } = setup([configMap('a', '7'), { broken: true }])
    await instance.post(LIST, {})
    const read = instance.get(LIST, { params: { limit: 5 } }).catch((error: unknown) => error)
    await clock.step(10_000)
    const { config } = (await read) as AxiosError
    expect(config).toMatchObject({ url: LIST, baseURL: 'http://h', params: { limit: 5 } })
    expect(paths().at(-1)).toContain('resourceVersion=7')
  })

  it('knows the errors of another copy of axios', async () => {
    let sent = 0
    const { instance, clock } = setup([], {
      adapter: async (config) => {
        if (sent++) return { status: 200, statusText: '', headers: {}, data: '{}', config }
        const response = { status: 429, statusText: '', headers: { 'retry-after': '1' }, data: 'slow down', config }
        throw Object.assign(new Error('429'), { isAxiosError: true, config, response })
      },
    })
    const read = instance.get(`${LIST}/a`)
    await clock.step(1000)
    expect((await read).status).toBe(200)
    expect(sent).toBe(2)
  })

  it('is one when it is attached twice', async () => {
    const { instance, session, clock, paths } = setup([configMap('a', '7'), NOT_YET, NOT_YET, configMap('a', '8')])
    attachFreshRead(instance, session)
    await instance.post(LIST, {})
    const read = instance.get(`${LIST}/a`)
    await clock.step(7000)
    expect((await read).data).toMatchObject({ metadata: { resourceVersion: '8' } })
    expect(paths()).toHaveLength(4)
    expect(session.stats()).toMatchObject({ sent: 4, wait: 1, unpin: 1 })
  })

  it.each([
    [
      'signal',
      (): [AxiosRequestConfig, () => void] => {
        const controller = new AbortController()
        return [{ signal: controller.signal }, () => controller.abort()]
      },
    ],
    [
      'cancelToken',
      (): [AxiosRequestConfig, () => void] => {
        // oxlint-disable-next-line import/no-named-as-default-member -- its types know it only there
        const { CancelToken } = axios
        const source = CancelToken.source()
        return [{ cancelToken: source.token }, () => source.cancel('enough')]
      },
    ],
  ])('a wait ends at once with %s', async (_, make) => {
    const { instance, clock } = setup([configMap('a', '7'), NOT_YET])
    await instance.post(LIST, {})
    const [config, cancel] = make()
    const read = instance.get(`${LIST}/a`, config).catch((error: unknown) => error)
    await clock.step(3500)
    expect(clock.pendingTimers).toBe(1)
    cancel()
    for (let i = 0; i < 5; i++) await Promise.resolve()
    expect(clock.pendingTimers).toBe(0)
    expect(await read).toMatchObject({ name: 'CanceledError', code: 'ERR_CANCELED' })
  })

  it('does not retry axios’ own timeout, and warns of one that is too short', async () => {
    const { instance, session, paths } = setup([configMap('a', '7'), { ...configMap('a', '7'), after: 60_000 }])
    const warn = vi.spyOn(session.options, 'warn')
    await instance.post(LIST, {})
    await expect(instance.get(`${LIST}/a`, { timeout: 20 })).rejects.toThrow('timeout of 20ms exceeded')
    expect(paths()).toHaveLength(2)
    expect(warn).toHaveBeenCalledOnce()
  })

  it('takes options for one request', async () => {
    const { instance, paths } = setup([configMap('a', '7')])
    await instance.post(LIST, {})
    await instance.get(`${LIST}/a`, { freshRead: { pin: false } })
    expect(paths()[1]).toBe(`${LIST}/a`)
  })

  it('comes off again', async () => {
    const { instance, detach, paths } = setup([configMap('a', '7')])
    await instance.post(LIST, {})
    detach()
    detach()
    await instance.get(`${LIST}/a`)
    expect(paths()[1]).toBe(`${LIST}/a`)
  })

  it('does not try again what axios refuses to send', async () => {
    const { instance, paths } = setup([configMap('a', '7')], { allowAbsoluteUrls: true })
    await expect(instance.get(`${LIST}/a`, { maxBodyLength: 1, data: 'xx', adapter: 'nope' as never })).rejects.toThrow(
      'nope',
    )
    expect(paths()).toHaveLength(0)
  })

  it('reads pins out of binary answers', async () => {
    const { instance, paths } = setup([configMap('a', '7')])
    await instance.post(LIST, {}, { responseType: 'arraybuffer' })
    await instance.get(`${LIST}/a`)
    expect(paths()[1]).toBe(`${LIST}/a?resourceVersion=7`)
  })
})

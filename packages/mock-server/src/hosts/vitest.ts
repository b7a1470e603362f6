import { test as base, type TestAPI } from 'vitest'
import { setupKubeServer, type InterceptedKubeServer, type SetupKubeServerOptions } from './msw.ts'

/** What the fixture adds to a test's context. */
export interface KubeFixture {
  /** Options of the server, for `test.extend({ kubeOptions: … })` or `test.scoped`. */
  kubeOptions: SetupKubeServerOptions
  /** A fresh Kubernetes API that every HTTP client of the process talks to, closed after the test. */
  kube: InterceptedKubeServer
}

/**
 * `test` with a Kubernetes API of its own per test:
 *
 * ```ts
 * import { test } from '@freshread/mock-server/vitest'
 *
 * test('survives a stalled cache', async ({ kube }) => {
 *   kube.control.freeze()
 *   …
 * })
 * ```
 */
export const test: TestAPI<KubeFixture> = base.extend<KubeFixture>({
  kubeOptions: {},
  kube: async ({ kubeOptions }, use) => {
    const kube = await setupKubeServer(kubeOptions)
    await use(kube)
    await kube.close()
  },
})

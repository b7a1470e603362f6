// What the code of the READMEs and docs/ leaves to its reader: their own objects, functions and kinds.
import type { AxiosInstance } from 'axios'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Fetch, FreshReadSession, KubeObject, ResourceClient } from '@freshread/client'
import type { KubeServer } from '@freshread/mock-server'
import type { InterceptedKubeServer } from '@freshread/mock-server/msw'
import type { RequestHandler } from 'msw'

declare global {
  interface Pod extends KubeObject {
    spec?: { nodeName?: string }
    status?: { phase?: string }
  }

  const codeUnderTest: (cluster: string) => Promise<void>
  const instance: AxiosInstance
  const kube: InterceptedKubeServer
  const kubeConfig: KubeConfig
  const myFetch: Fetch
  const pod: Pod
  const pods: ResourceClient<Pod>
  const remove: (pod: Pod) => void
  const server: KubeServer
  const session: FreshReadSession
  const show: (pod: Pod) => void
  const signal: AbortSignal
  const token: string
  const written: string
  const yours: RequestHandler[]
}

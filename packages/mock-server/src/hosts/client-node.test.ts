import {
  type ApiException,
  AppsV1Api,
  BatchV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setupKubeServer, type InterceptedKubeServer } from './msw.ts'

const NAMESPACE = 'default'
const config = new KubeConfig()
config.loadFromClusterAndUser({ name: 'test', server: 'https://any.cluster', skipTLSVerify: true }, { name: 'admin' })

let kube: InterceptedKubeServer
beforeAll(async () => {
  kube = await setupKubeServer()
})
afterAll(() => kube.close())

type Body = Readonly<Record<string, unknown>>
interface Answer {
  readonly metadata: {
    readonly name: string
    readonly labels?: Record<string, string>
    readonly uid: string
    readonly deletionTimestamp?: Date
  }
  readonly items?: readonly Answer[]
}
/** A generated API, its methods by name. */
type Methods = Readonly<Record<string, (parameters: Body, options?: object) => Promise<Answer>>>

const pod = { containers: [{ name: 'a', image: 'nginx:1' }] }
const template = { metadata: { labels: { app: 'a' } }, spec: pod }
const selector = { matchLabels: { app: 'a' } }
const job = { template: { spec: { ...pod, restartPolicy: 'Never' } } }
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const roleRef = (kind: string): Body => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'a' })
const subjects = [{ kind: 'User', name: 'u' }]

const core = config.makeApiClient(CoreV1Api)
const apps = config.makeApiClient(AppsV1Api)
const batch = config.makeApiClient(BatchV1Api)
const rbac = config.makeApiClient(RbacAuthorizationV1Api)
const coordination = config.makeApiClient(CoordinationV1Api)

/** Kinds by API: what an object needs beyond its name. */
const kinds: readonly (readonly [kind: string, api: object, namespaced: boolean, fields: Body])[] = [
  ['ConfigMap', core, true, { data: { k: 'v' } }],
  ['Endpoints', core, true, { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }],
  [
    'Event',
    core,
    true,
    { involvedObject: { kind: 'Pod', name: 'a', namespace: NAMESPACE }, reason: 'R', message: 'm' },
  ],
  ['LimitRange', core, true, { spec: { limits: [{ type: 'Pod', max: { cpu: '64' } }] } }],
  ['Namespace', core, false, {}],
  ['Node', core, false, {}],
  ['PersistentVolume', core, false, { spec: { ...storage, capacity: { storage: '1Gi' }, hostPath: { path: '/a' } } }],
  ['PersistentVolumeClaim', core, true, { spec: storage }],
  ['Pod', core, true, { spec: pod }],
  ['PodTemplate', core, true, { template }],
  ['ReplicationController', core, true, { spec: { selector: { app: 'a' }, template } }],
  ['ResourceQuota', core, true, { spec: { hard: { services: '9' } } }],
  ['Secret', core, true, { stringData: { k: 'v' } }],
  ['Service', core, true, { spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } }],
  ['ServiceAccount', core, true, {}],
  ['ControllerRevision', apps, true, { revision: 1, data: { spec: {} } }],
  ['DaemonSet', apps, true, { spec: { selector, template } }],
  ['Deployment', apps, true, { spec: { selector, template } }],
  ['ReplicaSet', apps, true, { spec: { selector, template } }],
  ['StatefulSet', apps, true, { spec: { selector, template, serviceName: 'a' } }],
  ['CronJob', batch, true, { spec: { schedule: '@daily', jobTemplate: { spec: job } } }],
  ['Job', batch, true, { spec: job }],
  ['ClusterRole', rbac, false, { rules }],
  ['ClusterRoleBinding', rbac, false, { roleRef: roleRef('ClusterRole'), subjects }],
  ['Role', rbac, true, { rules }],
  ['RoleBinding', rbac, true, { roleRef: roleRef('Role'), subjects }],
  ['Lease', coordination, true, { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } }],
]

/** Kinds that are not gone at once: a namespace waits for its content, a claim and a volume for their protection. */
const FINALIZED = new Set(['Namespace', 'PersistentVolume', 'PersistentVolumeClaim'])

describe('the generated APIs of client-node', () => {
  it.each(kinds)('create, read, list, patch and delete a %s', async (kind, client, namespaced, fields) => {
    const api = client as Methods
    const name = 'client-node'
    const scope = namespaced ? { namespace: NAMESPACE } : {}
    const method = (verb: string): string => `${verb}${namespaced ? 'Namespaced' : ''}${kind}`
    const call = (verb: string, parameters: Body, options?: object): Promise<Answer> =>
      api[method(verb)]!({ ...scope, ...parameters }, options)

    const created = await call('create', { body: { metadata: { name, labels: { run: kind } }, ...fields } })
    expect(created.metadata).toMatchObject({ name, ...scope, uid: expect.any(String) })
    await expect(call('create', { body: { metadata: { name }, ...fields } })).rejects.toMatchObject({ code: 409 })
    await expect(call('read', { name })).resolves.toEqual(created)
    const patched = await call(
      'patch',
      { name, body: { metadata: { labels: { patched: 'yes' } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
    expect(patched.metadata.labels).toMatchObject({ run: kind, patched: 'yes' })
    const list = await call('list', { labelSelector: `run=${kind},patched` })
    expect(list.items?.map((item) => item.metadata.uid)).toEqual([created.metadata.uid])

    await call('delete', { name, gracePeriodSeconds: 0, propagationPolicy: 'Background' })
    const after = await call('read', { name }).then(
      ({ metadata }) => (metadata.deletionTimestamp === undefined ? 'kept' : 'terminating'),
      (error: unknown) => (error as ApiException<unknown>).code,
    )
    expect(after).toBe(FINALIZED.has(kind) ? 'terminating' : 404)
  })

  it.each<[PatchStrategy, unknown, string[]]>([
    [PatchStrategy.JsonPatch, [{ op: 'add', path: '/spec/containers/0/image', value: 'nginx:2' }], ['a=nginx:2']],
    [PatchStrategy.MergePatch, { spec: { containers: [{ name: 'a', image: 'nginx:3' }] } }, ['a=nginx:3']],
    [
      PatchStrategy.StrategicMergePatch,
      { spec: { containers: [{ name: 'a', image: 'nginx:4' }], activeDeadlineSeconds: 9 } },
      ['a=nginx:4'],
    ],
  ])('patch with %s', async (strategy, body, images) => {
    const name = `patched-${images[0]!.at(-1)}`
    await core.createNamespacedPod({ namespace: NAMESPACE, body: { metadata: { name }, spec: pod } })
    const options = setHeaderOptions('Content-Type', strategy)
    const patched = await core.patchNamespacedPod({ namespace: NAMESPACE, name, body }, options)
    expect(patched.spec!.containers.map((container) => `${container.name}=${container.image}`)).toEqual(images)
  })
})

describe('the other clients of client-node', () => {
  it('apply objects of any kind by discovery', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    const object = (data: Record<string, string>): V1ConfigMap => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'object-api', namespace: NAMESPACE },
      data,
    })
    await objects.patch(object({ k: '1' }), undefined, undefined, 'me', true, PatchStrategy.ServerSideApply)
    const header = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'object-api', namespace: NAMESPACE } }
    await expect(objects.read(header)).resolves.toMatchObject({ data: { k: '1' } })
    const replaced = await objects.replace(object({ k: '2' }))
    expect(replaced).toMatchObject({ data: { k: '2' } })
    await expect(objects.delete(header)).resolves.toMatchObject({ status: 'Success' })
    await expect(objects.read(header)).rejects.toMatchObject({ code: 404 })
  })

  it('keep an informer up to date', async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`
    const labelSelector = 'informer=yes'
    const create = (name: string): Promise<V1ConfigMap> =>
      core.createNamespacedConfigMap({
        namespace: NAMESPACE,
        body: { metadata: { name, labels: { informer: 'yes' } } },
      })
    const list = (): Promise<{ items: V1ConfigMap[] }> =>
      core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector })
    await create('before')
    const informer = makeInformer<V1ConfigMap>(config, path, list as never, labelSelector)
    const seen: string[] = []
    const until = (text: string): Promise<void> =>
      new Promise((resolve) => {
        for (const verb of ['add', 'update', 'delete'] as const) {
          informer.on(verb, (object) => {
            if (`${verb} ${object.metadata!.name}` === text) resolve()
          })
        }
      })
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => seen.push(`${verb} ${object.metadata!.name}`))
    }
    const deleted = until('delete during')
    await informer.start()
    await create('during')
    await core.replaceNamespacedConfigMap({
      namespace: NAMESPACE,
      name: 'before',
      body: { metadata: { name: 'before', labels: { informer: 'yes' } }, data: { k: 'v' } },
    })
    await core.deleteNamespacedConfigMap({ namespace: NAMESPACE, name: 'during' })
    await deleted
    await informer.stop()
    expect(seen).toEqual(['add before', 'add during', 'update before', 'delete during'])
  })

  it('are told of a pod whose log they ask for in vain', async () => {
    const log = new Log(config).log(NAMESPACE, 'missing', 'a', new PassThrough(), {})
    await expect(log).rejects.toMatchObject({ code: 404 })
  })
})

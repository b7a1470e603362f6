// What server-side apply of a large manifest costs, beside a create of the same. Prints milliseconds a request.
//   node --conditions=@freshread/source benchmarks/mock-server/apply.ts [--lines 5000] [--rounds 30]
import { parseArgs } from 'node:util'
import { createKubeServer, type KubeServer } from '@freshread/mock-server'
import { stringify } from 'yaml'

const { values } = parseArgs({
  options: { lines: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '30' } },
})
const lines = Number(values.lines)
const rounds = Number(values.rounds)

/** A Deployment whose YAML has about so many lines, most of them in lists that are merged by key. */
function manifest(name: string, image: string): object {
  const env = Array.from({ length: 40 }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value-${i}` }))
  const ports = (c: number): object[] =>
    Array.from({ length: 10 }, (_, i) => ({ containerPort: 8000 + 10 * c + i, name: `port-${c}-${i}` }))
  const volumeMounts = Array.from({ length: 10 }, (_, i) => ({ name: `volume-${i}`, mountPath: `/mnt/${i}` }))
  const container = (i: number): object => ({
    name: `container-${i}`,
    image,
    args: ['--verbose', '--port=8000'],
    env,
    ports: ports(i),
    volumeMounts,
    resources: { limits: { cpu: '100m', memory: '64Mi' } },
  })
  // Each container is about 130 lines.
  const containers = Array.from({ length: Math.max(1, Math.round(lines / 130)) }, (_, i) => container(i))
  const volumes = Array.from({ length: 10 }, (_, i) => ({ name: `volume-${i}`, emptyDir: {} }))
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: 'large' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'large' } },
      template: { metadata: { labels: { app: 'large' } }, spec: { containers, volumes } },
    },
  }
}

const root = '/apis/apps/v1/namespaces/default/deployments'

async function send(server: KubeServer, method: string, path: string, type: string, body: string): Promise<number> {
  const before = performance.now()
  const response = await server.fetch(path, { method, body, headers: { 'content-type': type } })
  await response.arrayBuffer()
  const took = performance.now() - before
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  return took
}

async function measure(run: (round: number) => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await run(round))
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

const apply = 'application/apply-patch+yaml'
const applyPath = (name: string, manager: string): string => `${root}/${name}?fieldManager=${manager}&force=true`

const server = createKubeServer()
await server.ready()
try {
  const json = (name: string, image = 'image:1'): string => JSON.stringify(manifest(name, image))
  const text = stringify(manifest('x', 'image:1'), { aliasDuplicateObjects: false })
  console.log(
    `${text.split('\n').length} lines of YAML, ${Math.round(json('x').length / 1024)} kB of JSON, median of ${rounds}`,
  )

  const warmUp = (i: number): Promise<number> => send(server, 'POST', root, 'application/json', json(`warm-${i}`))
  await measure(warmUp)
  const created = await measure((i) => send(server, 'POST', root, 'application/json', json(`create-${i}`)))
  const yaml = (name: string): string => text.replace('name: x', `name: ${name}`)
  const createdYaml = await measure((i) => send(server, 'POST', root, 'application/yaml', yaml(`create-yaml-${i}`)))
  const print = (what: string, took: number, base: number): void => {
    console.log(`${what.padEnd(36)} ${took.toFixed(2).padStart(8)} ms   ${(took / base).toFixed(2)} x create`)
  }
  print('create', created, created)
  const applyAll = (manager: string, image: string): Promise<number> =>
    measure((i) => send(server, 'PATCH', applyPath(`apply-${i}`, manager), apply, json(`apply-${i}`, image)))
  print('apply: create', await applyAll('a', 'image:1'), created)
  print('apply: no change', await applyAll('a', 'image:1'), created)
  print('apply: every image changed', await applyAll('a', 'image:2'), created)
  print('apply: second manager, forced', await applyAll('b', 'image:3'), created)
  const patchAll = (type: string, patch: object): Promise<number> =>
    measure((i) => send(server, 'PATCH', `${root}/apply-${i}`, `application/${type}-patch+json`, JSON.stringify(patch)))
  print('merge patch of replicas', await patchAll('merge', { spec: { replicas: 2 } }), created)
  const containers = [{ name: 'container-3', image: 'new' }]
  const strategic = { spec: { template: { spec: { containers } } } }
  print('strategic merge patch of an image', await patchAll('strategic-merge', strategic), created)
  // As YAML, nearly all the time goes into reading it.
  print('create, as YAML', createdYaml, createdYaml)
  print(
    'apply: create, as YAML',
    await measure((i) => send(server, 'PATCH', applyPath(`yaml-${i}`, 'a'), apply, yaml(`yaml-${i}`))),
    createdYaml,
  )
} finally {
  await server.close()
}

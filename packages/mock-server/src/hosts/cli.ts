#!/usr/bin/env node
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cac } from 'cac'
import packageJson from '../../package.json' with { type: 'json' }
import { serve, type ServeOptions } from './http.ts'

interface Flags {
  readonly port: number | string
  readonly host: string
  readonly featureGates?: string | readonly string[]
  readonly emulatedVersion?: string | number
  readonly controllers?: string
  readonly load?: string | readonly string[]
  readonly etcd?: string
  readonly control: boolean
  readonly controlFrom?: string
  readonly cors: boolean
}

/** Bad usage: printed without a stack. */
class UsageError extends Error {}

/** `Name=true,Other=false`, as kube-apiserver's `--feature-gates`. */
export function parseFeatureGates(text: string): Record<string, boolean> {
  const gates: Record<string, boolean> = {}
  for (const part of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = part.split('=')
    if (name === '' || !/^(true|false)$/i.test(value)) {
      throw new UsageError(`--feature-gates: want Name=true or Name=false, got ${JSON.stringify(part)}`)
    }
    gates[name] = value.toLowerCase() === 'true'
  }
  return gates
}

const list = (value: string | readonly string[] | undefined): string[] => (value === undefined ? [] : [value].flat())

async function start(flags: Flags): Promise<void> {
  const gates = parseFeatureGates(list(flags.featureGates).join(','))
  const options: Record<string, unknown> = { port: Number(flags.port), host: flags.host, cors: flags.cors }
  if (Object.keys(gates).length > 0) options['featureGates'] = gates
  if (flags.emulatedVersion !== undefined) options['emulatedVersion'] = String(flags.emulatedVersion)
  if (flags.controllers !== undefined) options['controllers'] = flags.controllers.split(',').filter(Boolean)
  options['control'] = flags.control ? (flags.controlFrom ?? 'loopback') : 'off'
  if (flags.etcd !== undefined) {
    const { EtcdKV } = await import('@freshread/core/etcd')
    options['storage'] = await EtcdKV.connect({ endpoints: flags.etcd.split(',') })
  }
  const served = await serve(options as ServeOptions)
  for (const file of list(flags.load)) await served.server.load(pathToFileURL(resolve(file)))
  console.log(`Kubernetes API at ${served.url}  (kubectl --server ${served.url} get namespaces)`)
  let stopping = false
  const stop = (): void => {
    if (stopping) process.exit(130)
    stopping = true
    void served.close().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

const cli = cac('freshread')
cli
  .command('serve', 'Serve a Kubernetes API on a port')
  .option('--port <port>', 'TCP port; 0 takes a free one', { default: 8001 })
  .option('--host <address>', 'Address to listen on', { default: '127.0.0.1' })
  .option('--feature-gates <gates>', 'Name=true,Other=false')
  .option('--emulated-version <version>', 'Behave as this minor version: 1.34 to 1.37')
  .option('--controllers <names>', 'Controllers to run: namespace')
  .option('--load <file>', 'YAML or JSON objects to start with; may be given several times')
  .option('--etcd <urls>', 'Keep objects in this etcd instead of memory: http://127.0.0.1:2379')
  .option('--no-control', 'Remove the control paths /_freshread/…')
  .option('--control-from <who>', 'loopback or anyone: who may use the control paths')
  .option('--no-cors', 'Do not answer web pages of other origins')
  .action(start)
cli.help()
cli.version(packageJson.version)

try {
  cli.parse(process.argv, { run: false })
  if (cli.matchedCommand === undefined && cli.options['help'] !== true && cli.options['version'] !== true) {
    cli.outputHelp()
    process.exitCode = 2
  } else {
    await (cli.runMatchedCommand() as Promise<void> | undefined)
  }
} catch (error) {
  console.error(`freshread: ${error instanceof Error ? error.message : String(error)}`)
  // What was begun, an open port or a connection to etcd, would keep the process alive.
  process.exit(2)
}

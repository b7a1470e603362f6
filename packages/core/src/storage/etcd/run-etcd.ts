/// <reference types="node" />
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/* For tests: a real etcd, if there is one on this machine. */

/** A running etcd. */
export interface RunningEtcd {
  readonly endpoint: string
  /** Kills it at once. Its data stay until `stop`. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same data and port. */
  readonly start: () => Promise<void>
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>
}

/** Starts an etcd with empty data on free ports of loopback. */
export async function runEtcd(binary: string): Promise<RunningEtcd> {
  const folder = await mkdtemp(join(tmpdir(), 'freshread-etcd-'))
  const [clientPort, peerPort] = [await freePort(), await freePort()]
  const endpoint = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  const args = [
    ['--data-dir', join(folder, 'data')],
    ['--listen-client-urls', endpoint],
    ['--advertise-client-urls', endpoint],
    ['--listen-peer-urls', peer],
    ['--initial-advertise-peer-urls', peer],
    ['--initial-cluster', `default=${peer}`],
    ['--log-level', 'error'],
    ['--unsafe-no-fsync'],
  ].flat()
  let child = spawn(binary, args, { stdio: 'ignore' })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }
  return {
    endpoint,
    kill,
    start: async () => {
      child = spawn(binary, args, { stdio: 'ignore' })
    },
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

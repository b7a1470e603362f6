import type { RequestInfo } from './request-path.ts'
import { newerOf } from './resource-version.ts'

/**
 * Pins as plain JSON, for another page or process: by API server, then by `resource.group`. A value is the
 * resource version written; after a `!` come the namespaces (an empty one for all) with deletes that no list
 * has confirmed yet, whose reads are sent unpinned: `"1234"`, `"1234!default,kube-system"`, `"!"`.
 */
export interface ExportedPins {
  readonly version: 1
  readonly servers: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** What is known of one resource of one API server. */
interface Entry {
  pin: string | undefined
  /** By namespace: when something happened there whose resource version is unknown. */
  readonly blind: Map<string, number>
}

const EXPORTED = /^([1-9]\d*)?(!([\w.,-]*))?$/

/** `resource.group`; core events and those of events.k8s.io are the same objects. */
export function pinName({ group, resource }: Pick<RequestInfo, 'group' | 'resource'>): string {
  return group && group + resource !== 'events.k8s.ioevents' ? `${resource}.${group}` : resource
}

/** The highest resource versions written, by API server and resource, and where they are not enough. */
export class Pins {
  readonly #servers = new Map<string, Map<string, Entry>>()

  /** What is known of a resource. While `blind` holds something, reads are to be sent unpinned. */
  of(server: string, name: string): Entry {
    let entries = this.#servers.get(server)
    if (!entries) this.#servers.set(server, (entries = new Map()))
    let entry = entries.get(name)
    if (!entry) entries.set(name, (entry = { pin: undefined, blind: new Map() }))
    return entry
  }

  /** Forgets an API server, or everything. */
  clear(server?: string): void {
    if (server === undefined) this.#servers.clear()
    else this.#servers.delete(server)
  }

  toJSON(): ExportedPins {
    // Names may come from outside, in a token: `fromEntries` makes plain properties even of `__proto__`.
    const servers = [...this.#servers].map(([server, entries]): [string, Record<string, string>] => {
      const values = [...entries].map(([name, { pin = '', blind }]): [string, string] => [
        name,
        pin + (blind.size ? `!${[...blind.keys()].join()}` : ''),
      ])
      return [server, Object.fromEntries(values.filter(([, value]) => value))]
    })
    return { version: 1, servers: Object.fromEntries(servers.filter(([, values]) => Object.keys(values).length)) }
  }

  /** Takes over exported pins, keeping the newer of each. Throws a TypeError that says what is wrong. */
  import(exported: ExportedPins, time: number): void {
    const servers: unknown = exported?.version === 1 && exported.servers
    if (!servers || typeof servers !== 'object') throw new TypeError('no pins or token of FreshRead')
    const parsed = Object.entries(exported.servers).flatMap(([server, resources]) =>
      Object.entries(resources ?? {}).map(([name, value]) => {
        const [match, pin, blind, namespaces] = (typeof value === 'string' && EXPORTED.exec(value)) || []
        if (match === undefined) throw new TypeError(`bad pin ${name}`)
        return { server, name, pin, namespaces: blind && namespaces!.split(',') }
      }),
    )
    // Only now that all of it is known to be good.
    for (const { server, name, pin, namespaces } of parsed) {
      const entry = this.of(server, name)
      entry.pin = newerOf(entry.pin, pin)
      for (const namespace of namespaces || []) entry.blind.set(namespace, time)
    }
  }
}

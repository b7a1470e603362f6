import { goQuote } from '@freshread/core'
import type { Query } from '../api/query.ts'

const STARTUP = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'autoregister-completion',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
].map((name) => (name === 'autoregister-completion' ? name : `poststarthook/${name}`))

const LIVE = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...STARTUP]
const READY = ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...STARTUP, 'shutdown']

/** Checks of each health endpoint, in the order they are told. */
export const HEALTH_CHECKS: Readonly<Record<string, readonly string[]>> = {
  healthz: LIVE,
  livez: LIVE,
  readyz: READY,
}

/** Tells of a check that fails: its reason, or `undefined` when all is well. */
export type HealthProbe = (endpoint: string, check: string) => string | undefined

/** What a health endpoint answers. */
export interface HealthReport {
  readonly status: number
  readonly text: string
}

/**
 * Runs the checks of `/healthz`, `/livez` or `/readyz`, or one of them (`pkg/server/healthz/healthz.go`);
 * `undefined` for a path that is none. A failure is always told in full, without its reason.
 */
export function checkHealth(path: string, query: Query, probe: HealthProbe): HealthReport | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  const checks = Object.hasOwn(HEALTH_CHECKS, endpoint) ? HEALTH_CHECKS[endpoint] : undefined
  if (!checks) return undefined
  const single = rest.join('/')
  if (rest.length > 0) {
    if (!checks.includes(single)) return undefined
    const reason = probe(endpoint, single)
    return reason === undefined
      ? { status: 200, text: 'ok' }
      : { status: 500, text: `internal server error: ${reason}\n` }
  }
  const excluded = new Set(query.get('exclude') ?? [])
  let failed = false
  let text = ''
  for (const check of checks) {
    if (excluded.delete(check)) text += `[+]${check} excluded: ok\n`
    else if (probe(endpoint, check) !== undefined) {
      failed = true
      text += `[-]${check} failed: reason withheld\n`
    } else text += `[+]${check} ok\n`
  }
  if (excluded.size > 0) {
    const names = [...excluded].map(goQuote).join(',')
    text += `warn: some health checks cannot be excluded: no matches for ${names}\n`
  }
  if (failed) return { status: 500, text: `${text}${endpoint} check failed\n` }
  return { status: 200, text: query.has('verbose') ? `${text}${endpoint} check passed\n` : 'ok' }
}

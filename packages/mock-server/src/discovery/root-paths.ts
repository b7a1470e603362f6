import type { ResourceRegistry } from '../resources/registry.ts'
import { HEALTH_CHECKS } from './health.ts'

/** What `/` lists (`pkg/server/routes/index.go`), sorted. */
export function rootPaths(registry: ResourceRegistry): readonly string[] {
  const paths = [
    '/.well-known/openid-configuration',
    '/api',
    '/apis',
    '/apis/',
    '/flagz',
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/openid/v1/jwks',
    '/statusz',
    '/version',
  ]
  for (const group of registry.groups()) {
    const base = group.name === '' ? '/api' : `/apis/${group.name}`
    paths.push(base, ...group.versions.map((version) => `${base}/${version}`))
  }
  for (const [endpoint, checks] of Object.entries(HEALTH_CHECKS)) {
    paths.push(`/${endpoint}`, ...checks.map((check) => `/${endpoint}/${check}`))
  }
  return [...new Set(paths)].sort()
}

import type { KubeObject } from '@freshread/core'

/** A string, or `''` for what is none. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A kind as Go prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

/** An object as errors name it (`objectGVKNN`). */
export function objectText({ apiVersion, kind, metadata }: KubeObject): string {
  return `${text(metadata?.namespace)}/${text(metadata?.name)}; ${kindText(text(apiVersion), text(kind))}`
}

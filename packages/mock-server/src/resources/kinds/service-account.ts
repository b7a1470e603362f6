import type { KubeObject } from '@freshread/core'
import { listAt, stringAt } from '../fields.ts'
import type { Strategy } from '../strategy.ts'

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets'

/** ServiceAccounts (`pkg/registry/core/serviceaccount/strategy.go`). */
export const serviceAccount: Strategy = {
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
  warnings: (object, current) => {
    const hasNow = Object.hasOwn(object.metadata.annotations ?? {}, MOUNTABLE_SECRETS)
    if (!hasNow || Object.hasOwn(current?.metadata.annotations ?? {}, MOUNTABLE_SECRETS)) return []
    return [
      `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ]
  },
}

/** Secrets are in the namespace of their account: nothing but their names is kept. */
function cleanSecretReferences(object: KubeObject): void {
  const secrets = listAt(object, 'secrets')
  if (secrets.length === 0) return
  object['secrets'] = secrets.map((secret) => {
    const name = stringAt(secret, 'name')
    return name === '' ? {} : { name }
  })
}

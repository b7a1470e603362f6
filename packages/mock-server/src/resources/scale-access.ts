import type { KubeObject } from '@freshread/core'
import type { LabelSelectorFields } from './label-selector.ts'
import type { ScaleAccess } from './resource.ts'

interface Replicated extends KubeObject {
  readonly spec?: {
    readonly replicas?: number | null
    readonly selector?: LabelSelectorFields | Readonly<Record<string, string>>
  }
  readonly status?: { readonly replicas?: number }
}

/** The Scale of deployments, replica sets, stateful sets and replication controllers. */
export const builtInScale: ScaleAccess = {
  specReplicasPath: ['spec', 'replicas'],
  read: (object) => {
    const { spec, status, kind } = object as Replicated
    // A replication controller's selector is a map; the others' are label selectors.
    const selector =
      kind === 'ReplicationController' ? { matchLabels: spec?.selector as Record<string, string> } : spec?.selector
    return {
      replicas: spec?.replicas ?? undefined,
      statusReplicas: status?.replicas ?? 0,
      selector: labelSelectorText((selector ?? {}) as LabelSelectorFields),
    }
  },
  write: (object, replicas) => ({ ...object, spec: { ...(object['spec'] as object | undefined), replicas } }),
}

/** A label selector as a string (`apimachinery: metav1.FormatLabelSelector`): requirements in the order of their keys. */
function labelSelectorText({ matchLabels, matchExpressions }: LabelSelectorFields): string {
  const parts: { readonly key: string; readonly text: string }[] = []
  for (const [key, value] of Object.entries(matchLabels ?? {})) parts.push({ key, text: `${key}=${value}` })
  for (const { key, operator, values = [] } of matchExpressions ?? []) {
    const list = `(${[...values].sort().join(',')})`
    if (operator === 'In') parts.push({ key, text: `${key} in ${list}` })
    else if (operator === 'NotIn') parts.push({ key, text: `${key} notin ${list}` })
    else parts.push({ key, text: operator === 'Exists' ? key : `!${key}` })
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(',')
}

import { fieldsAt, listAt, type Fields } from '../fields.ts'

/** Where kinds keep the spec of their pods. */
export const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  '/pods': ['spec'],
  '/podtemplates': ['template', 'spec'],
  '/replicationcontrollers': ['spec', 'template', 'spec'],
  'apps/daemonsets': ['spec', 'template', 'spec'],
  'apps/deployments': ['spec', 'template', 'spec'],
  'apps/replicasets': ['spec', 'template', 'spec'],
  'apps/statefulsets': ['spec', 'template', 'spec'],
  'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  'batch/jobs': ['spec', 'template', 'spec'],
}

/** Takes out what belongs to features that are off (`pkg/api/pod/util.go: dropDisabledFields`). */
export function dropDisabledPodFields(object: object, path: readonly string[]): void {
  const spec = path.reduce<Fields | undefined>((parent, name) => fieldsAt(parent, name), object as Fields)
  if (spec === undefined) return
  delete spec['evictionResponders']
  delete spec['schedulingGroup']
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    for (const container of listAt(spec, list)) {
      const lifecycle = fieldsAt(container, 'lifecycle')
      if (lifecycle?.['stopSignal'] == null) continue
      delete lifecycle['stopSignal']
      if (Object.keys(lifecycle).length === 0) delete container['lifecycle']
    }
  }
}

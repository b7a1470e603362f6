import { forbidden, invalid, type FieldError, type KubeObject } from '@freshread/core'
import { assign, fieldsAt, isSet, listAt, mapAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import { annotationsOf } from '../validation/labels.ts'
import { keepMeta, META_FOR_STATUS, specOf, statusOf } from './common.ts'
import { qosClass } from './pod-qos.ts'

/** Resizing changes nothing but the resources of containers (`dropNonResizeUpdates`). */
export function preparePodResize(object: KubeObject, current: KubeObject): void {
  const spec = specOf(object)
  const kept = structuredClone(specOf(current))
  for (const list of ['containers', 'initContainers']) {
    const wanted = listAt(spec, list)
    const own = listAt(kept, list)
    // Left as it is for validation to refuse.
    if (wanted.length !== own.length || own.some((container, i) => container['name'] !== wanted[i]!['name'])) return
    own.forEach((container, i) => {
      for (const name of ['resources', 'resizePolicy']) assign(container, name, wanted[i]![name])
    })
  }
  if (isSet(spec, 'resources')) kept['resources'] = spec['resources']
  keepMeta(object, current, META_FOR_STATUS)
  object['spec'] = kept
  object['status'] = structuredClone(current['status'])
}

/** `ValidatePodResize`, after the pod itself. */
export function validatePodResize(object: KubeObject, current: KubeObject): FieldError[] {
  if (annotationsOf(current)['kubernetes.io/config.mirror'] !== undefined)
    return [forbidden('[]', 'static pods cannot be resized')]
  const errors: FieldError[] = []
  const spec = specOf(object)
  const before = specOf(current)
  const status = statusOf(current)
  const oldClass = stringAt(status, 'qosClass') || qosClass(before)
  if (qosClass(spec) !== oldClass)
    errors.push(invalid('spec', oldClass, 'Pod QOS Class may not change as a result of resizing'))
  const running = listAt(status, 'containerStatuses').find((container) =>
    isSet(fieldsAt(container, 'state'), 'running'),
  )
  if (running !== undefined && !isSet(running, 'resources')) {
    errors.push(forbidden('spec', 'Pod running on node without support for resize'))
  }
  const order = ['containers', 'initContainers'].flatMap((list) => sameContainers(list, spec, before))
  if (order.length > 0) return [...errors, ...order]
  for (const list of ['initContainers', 'containers']) {
    const old = listAt(before, list)
    listAt(spec, list).forEach((container, i) => {
      const at = `spec.${list}[${i}]`
      for (const kind of ['requests', 'limits']) {
        const now = mapAt(fieldsAt(container, 'resources'), kind)
        const removed = Object.keys(mapAt(fieldsAt(old[i], 'resources'), kind)).some((name) => now[name] === undefined)
        if (removed) errors.push(forbidden(`${at}.resources.${kind}`, `resource ${kind} cannot be removed`))
      }
      if (semanticEqual(withoutCompute(container), withoutCompute(old[i]!))) return
      const text = 'only cpu and memory resources for init or sidecar containers are mutable'
      errors.push(
        list === 'containers' ? forbidden('spec', 'only cpu and memory resources are mutable') : forbidden(at, text),
      )
    })
  }
  return errors
}

function sameContainers(list: string, spec: Fields, before: Fields): FieldError[] {
  const now = listAt(spec, list)
  const old = listAt(before, list)
  if (now.length !== old.length) return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)]
  return old.flatMap((container, i) => {
    const text = `${list} may not be renamed or reordered on resize`
    return container['name'] === now[i]!['name'] ? [] : [forbidden(`spec.${list}[${i}].name`, text)]
  })
}

/** A container without the resources that may change, and how they do. */
function withoutCompute(container: Fields): Fields {
  const resources = { ...fieldsAt(container, 'resources') }
  for (const kind of ['requests', 'limits']) {
    const { cpu: _cpu, memory: _memory, ...rest } = mapAt(resources, kind)
    assign(resources, kind, Object.keys(rest).length > 0 ? rest : undefined)
  }
  const { resizePolicy: _policy, ...own } = container
  return { ...own, resources }
}

import { fieldsAt, isSet, listAt, mapAt, type Fields } from '../fields.ts'
import { Quantity } from '../quantity.ts'

/** Quality of service of a pod, by what it and its containers request (`pkg/apis/core/helper/qos: ComputePodQOS`). */
export function qosClass(spec: Fields): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const own = fieldsAt(spec, 'resources')
  const containers = ['initContainers', 'containers'].flatMap((list) => listAt(spec, list))
  const ofPod = own !== undefined && (isSet(own, 'requests') || isSet(own, 'limits'))
  const owners = ofPod ? [own] : containers.map((container) => fieldsAt(container, 'resources'))
  const classes = new Set(owners.flatMap((resources) => ['cpu', 'memory'].map((name) => classOf(resources, name))))
  if (classes.size > 1 || classes.has('Burstable')) return 'Burstable'
  return classes.has('Guaranteed') ? 'Guaranteed' : 'BestEffort'
}

function classOf(resources: Fields | undefined, name: string): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const request = Quantity.parse(mapAt(resources, 'requests')[name] ?? '0').nano
  const limit = Quantity.parse(mapAt(resources, 'limits')[name] ?? '0').nano
  if (request !== limit) return 'Burstable'
  return request === 0n ? 'BestEffort' : 'Guaranteed'
}

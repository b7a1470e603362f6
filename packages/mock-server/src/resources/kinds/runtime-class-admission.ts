import type { KubeObject, StatusError } from '@freshread/core'
import { assign, fieldsAt, isSet, listAt, mapAt, numberAt, semanticEqual, stringAt, type Fields } from '../fields.ts'
import type { StrategyContext } from '../strategy.ts'
import { admissionForbidden, specOf } from './common.ts'

/** Gives a new pod the overhead, node selector and tolerations of its class (`plugin/pkg/admission/runtimeclass: Admit`). */
export async function applyRuntimeClass(object: KubeObject, context: StrategyContext): Promise<void> {
  const spec = specOf(object)
  const found = await runtimeClassOf(object, context)
  const overhead = fieldsAt(found, 'overhead')
  if (overhead !== undefined) {
    const fixed = mapAt(overhead, 'podFixed')
    const own = mapAt(spec, 'overhead')
    if (Object.keys(own).length > 0 && !semanticEqual(own, fixed)) {
      throw refuse(object, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
    }
    assign(spec, 'overhead', isSet(overhead, 'podFixed') ? { ...fixed } : undefined)
  }
  const scheduling = fieldsAt(found, 'scheduling')
  if (scheduling === undefined) return
  const selector = { ...mapAt(spec, 'nodeSelector') }
  for (const [key, value] of Object.entries(mapAt(scheduling, 'nodeSelector'))) {
    const own = selector[key]
    if (own !== undefined && own !== value) {
      const wanted = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`
      throw refuse(object, `conflict: ${wanted}; pod.spec.nodeSelector[${key}] = ${own}`)
    }
    selector[key] = value
  }
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = selector
  const tolerations = mergeTolerations([...listAt(spec, 'tolerations'), ...listAt(scheduling, 'tolerations')])
  if (tolerations.length > 0) spec['tolerations'] = tolerations
}

/** Only a class gives a pod overhead (`plugin/pkg/admission/runtimeclass: Validate`). */
export async function checkOverhead(object: KubeObject, context: StrategyContext): Promise<void> {
  if (!isSet(specOf(object), 'overhead')) return
  if (fieldsAt(await runtimeClassOf(object, context), 'overhead') !== undefined) return
  throw refuse(object, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
}

async function runtimeClassOf(object: KubeObject, context: StrategyContext): Promise<KubeObject | undefined> {
  const name = stringAt(specOf(object), 'runtimeClassName')
  if (name === '') return undefined
  const found = await context.lookup('node.k8s.io', 'runtimeclasses', '', name)
  if (found === undefined) throw refuse(object, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
  return found
}

function refuse(object: KubeObject, text: string): StatusError {
  return admissionForbidden('', 'pods', object, text)
}

/** Leaves out what another one tolerates too (`pkg/util/tolerations: MergeTolerations`). */
function mergeTolerations(all: readonly Fields[]): Fields[] {
  const merged: Fields[] = []
  all.forEach((one, i) => {
    const later = all.slice(i + 1).filter((other) => !semanticEqual(one, other))
    if (![...merged, ...later].some((other) => isSuperset(other, one))) merged.push(one)
  })
  return merged
}

function isSuperset(wide: Fields, narrow: Fields): boolean {
  if (semanticEqual(wide, narrow)) return true
  const [operator, key, effect] = ['operator', 'key', 'effect'].map((name) => stringAt(wide, name))
  if (stringAt(narrow, 'key') !== key && (key !== '' || operator !== 'Exists')) return false
  if (stringAt(narrow, 'effect') !== effect && effect !== '') return false
  const seconds = effect === 'NoExecute' ? numberAt(wide, 'tolerationSeconds') : undefined
  if (seconds !== undefined && (numberAt(narrow, 'tolerationSeconds') ?? Infinity) > seconds) return false
  if (operator === 'Exists') return true
  if (operator !== 'Equal' && operator !== '') return false
  return stringAt(narrow, 'operator') === 'Equal' && stringAt(narrow, 'value') === stringAt(wide, 'value')
}

import { type KubeObject } from '@freshread/core'
import { isSet, listAt, numberAt, stringAt, type Fields } from '../fields.ts'
import type { StrategyContext } from '../strategy.ts'
import { admissionForbidden, specOf } from './common.ts'
import { applyLimitRangeDefaults, checkLimitRanges } from './limit-ranger.ts'
import { admitPodResize } from './pod-resize.ts'
import { applyRuntimeClass, checkOverhead } from './runtime-class-admission.ts'

const TOLERATION_SECONDS = 300
const DEFAULT_TOLERATIONS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** What the default admission plugins do to pods: LimitRanger's defaults, Priority, DefaultTolerationSeconds and RuntimeClass. */
export async function admitPod(
  object: KubeObject,
  current: KubeObject | undefined,
  context: StrategyContext,
): Promise<void> {
  if (context.subresource !== '') return
  if (current === undefined) {
    await applyLimitRangeDefaults(object, context)
    await setPriority(object, context)
  } else {
    for (const name of ['priority', 'preemptionPolicy']) {
      if (!isSet(specOf(object), name) && isSet(specOf(current), name)) specOf(object)[name] = specOf(current)[name]
    }
  }
  addTolerations(specOf(object))
  if (current !== undefined) return
  await applyRuntimeClass(object, context)
}

/** What admission refuses of pods that are valid otherwise. */
export async function validatePodAdmission(
  object: KubeObject,
  current: KubeObject | undefined,
  context: StrategyContext,
): Promise<void> {
  const sized = current === undefined ? context.subresource === '' : context.subresource === 'resize'
  if (sized) await checkLimitRanges('pods', object, context)
  if (current === undefined && context.subresource === '') await checkOverhead(object, context)
  if (current !== undefined && context.subresource === 'resize') await admitPodResize(object, current, context)
}

/** `plugin/pkg/admission/priority`. */
async function setPriority(object: KubeObject, context: StrategyContext): Promise<void> {
  const spec = specOf(object)
  const refuse = (text: string): never => {
    throw admissionForbidden('', 'pods', object, text)
  }
  const name = stringAt(spec, 'priorityClassName')
  const found =
    name === '' ? await defaultClass(context) : await context.lookup('scheduling.k8s.io', 'priorityclasses', '', name)
  if (name !== '' && found === undefined) refuse(`no PriorityClass with name ${name} was found`)
  const priority = numberAt(found, 'value') ?? 0
  if (name === '' && found !== undefined) spec['priorityClassName'] = found.metadata.name
  const own = numberAt(spec, 'priority')
  if (own !== undefined && own !== priority) {
    const computed = `priority admission controller computed ${priority} from the given PriorityClass name`
    refuse(`the integer value of priority (${own}) must not be provided in pod spec; ${computed}`)
  }
  spec['priority'] = priority
  const policy = found === undefined ? 'PreemptLowerPriority' : stringAt(found, 'preemptionPolicy')
  if (policy === '') return
  const ownPolicy = stringAt(spec, 'preemptionPolicy')
  if (ownPolicy !== '' && ownPolicy !== policy) {
    const computed = `priority admission controller computed ${policy} from the given PriorityClass name`
    refuse(`the string value of PreemptionPolicy (${ownPolicy}) must not be provided in pod spec; ${computed}`)
  }
  spec['preemptionPolicy'] = policy
}

/** The global default, the lowest of several. */
async function defaultClass(context: StrategyContext): Promise<KubeObject | undefined> {
  const classes = await context.lookupAll('scheduling.k8s.io', 'priorityclasses', '')
  return classes
    .filter((candidate) => candidate['globalDefault'] === true)
    .sort((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0]
}

/** `plugin/pkg/admission/defaulttolerationseconds`. */
function addTolerations(spec: Fields): void {
  const tolerations = [...listAt(spec, 'tolerations')]
  for (const key of DEFAULT_TOLERATIONS) {
    const tolerated = listAt(spec, 'tolerations').some((toleration) => {
      const [ownKey, effect] = [stringAt(toleration, 'key'), stringAt(toleration, 'effect')]
      return (ownKey === key || ownKey === '') && (effect === 'NoExecute' || effect === '')
    })
    if (!tolerated) {
      tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS })
    }
  }
  if (tolerations.length > 0) spec['tolerations'] = tolerations
}

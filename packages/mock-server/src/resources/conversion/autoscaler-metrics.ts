/*
 * Metrics of autoscalers as autoscaling/v1 keeps them in annotations, and as autoscaling/v2 has them
 * (`pkg/apis/autoscaling/v1/conversion.go`).
 */

type Fields = Readonly<Record<string, unknown>>

/** How the fields of one kind of source are called in v1. `value`s that v1 cannot leave out are `0` without one. */
interface Names {
  readonly named: 'describedObject' | 'metric' | 'resource'
  readonly selector?: string
  /** v1 field of the target's value, its average and its utilisation. */
  readonly value?: string
  readonly average: string
  readonly utilization?: string
  readonly always?: string
}

const SPEC: Readonly<Record<string, Names>> = {
  object: {
    named: 'describedObject',
    selector: 'selector',
    value: 'targetValue',
    average: 'averageValue',
    always: 'targetValue',
  },
  pods: { named: 'metric', selector: 'selector', average: 'targetAverageValue', always: 'targetAverageValue' },
  resource: { named: 'resource', utilization: 'targetAverageUtilization', average: 'targetAverageValue' },
  containerResource: { named: 'resource', utilization: 'targetAverageUtilization', average: 'targetAverageValue' },
  external: { named: 'metric', selector: 'metricSelector', value: 'targetValue', average: 'targetAverageValue' },
}
const STATUS: typeof SPEC = {
  object: {
    named: 'describedObject',
    selector: 'selector',
    value: 'currentValue',
    average: 'averageValue',
    always: 'currentValue',
  },
  pods: { named: 'metric', selector: 'selector', average: 'currentAverageValue', always: 'currentAverageValue' },
  resource: {
    named: 'resource',
    utilization: 'currentAverageUtilization',
    average: 'currentAverageValue',
    always: 'currentAverageValue',
  },
  containerResource: {
    named: 'resource',
    utilization: 'currentAverageUtilization',
    average: 'currentAverageValue',
    always: 'currentAverageValue',
  },
  external: {
    named: 'metric',
    selector: 'metricSelector',
    value: 'currentValue',
    average: 'currentAverageValue',
    always: 'currentValue',
  },
}

/** A metric of v2 (`part` is `target` for what is wanted and `current` for what is) as v1 has it. */
export function metricToV1(metric: Fields, part: 'target' | 'current'): Fields {
  const out: Record<string, unknown> = { type: metric['type'] ?? '' }
  for (const [kind, names] of Object.entries(part === 'target' ? SPEC : STATUS)) {
    const source = metric[kind] as Fields | undefined
    if (source !== undefined && source !== null) out[kind] = sourceToV1(source, (source[part] ?? {}) as Fields, names)
  }
  return out
}

function sourceToV1(source: Fields, amounts: Fields, names: Names): Fields {
  const { name, selector } = (source['metric'] ?? {}) as Fields
  const out: Record<string, unknown> = {}
  const put = (field: string | undefined, value: unknown): void => {
    if (field === undefined) return
    const given = value ?? (field === names.always ? '0' : undefined)
    if (given !== undefined) out[field] = given
  }
  if (names.named === 'describedObject') {
    const { kind = '', name: object = '', apiVersion } = (source['describedObject'] ?? {}) as Fields
    out['target'] = { kind, name: object, ...(apiVersion !== undefined && { apiVersion }) }
  }
  if (names.named === 'resource') out['name'] = source['name'] ?? ''
  else out['metricName'] = name ?? ''
  if (names.value === 'targetValue' && names.named === 'metric') put(names.selector, selector)
  put(names.value, amounts['value'])
  if (names.named === 'describedObject') put(names.selector, selector)
  put(names.utilization, amounts['averageUtilization'])
  put(names.average, amounts['averageValue'])
  if (out[names.selector ?? ''] === undefined) put(names.selector, selector)
  if (source['container'] !== undefined) out['container'] = source['container']
  return out
}

/** A metric of v1 as v2 has it. */
export function metricFromV1(metric: Fields, part: 'target' | 'current'): Fields {
  const out: Record<string, unknown> = { type: metric['type'] ?? '' }
  for (const [kind, names] of Object.entries(part === 'target' ? SPEC : STATUS)) {
    const source = metric[kind] as Fields | undefined
    if (source !== undefined && source !== null) out[kind] = sourceFromV1(source, part, names)
  }
  return out
}

function sourceFromV1(source: Fields, part: 'target' | 'current', names: Names): Fields {
  const out: Record<string, unknown> = {}
  if (names.named === 'describedObject') out['describedObject'] = source['target'] ?? {}
  const selector = names.selector === undefined ? undefined : source[names.selector]
  if (names.named === 'resource') {
    out['name'] = source['name'] ?? ''
    if (source['container'] !== undefined) out['container'] = source['container']
  } else out['metric'] = { name: source['metricName'] ?? '', ...(selector !== undefined && { selector }) }
  const read = (field: string | undefined): unknown =>
    field === undefined ? undefined : (source[field] ?? (field === names.always ? '0' : undefined))
  const [average, utilization] = [read(names.average), read(names.utilization)]
  let value = read(names.value)
  // v1 cannot leave the value out.
  if (part === 'target' && names.named === 'describedObject' && average !== undefined && value === '0')
    value = undefined
  out[part] = {
    ...(part === 'target' && { type: targetType(value, average, utilization, names) }),
    ...(value !== undefined && { value }),
    ...(average !== undefined && { averageValue: average }),
    ...(utilization !== undefined && { averageUtilization: utilization }),
  }
  return out
}

function targetType(value: unknown, average: unknown, utilization: unknown, names: Names): string {
  if (names.named === 'resource') return utilization === undefined ? 'AverageValue' : 'Utilization'
  if (names.value === undefined) return 'AverageValue'
  if (names.named === 'describedObject') return average === undefined ? 'Value' : 'AverageValue'
  return value === undefined ? 'AverageValue' : 'Value'
}

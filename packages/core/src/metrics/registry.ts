import { formatFloat, formatLabels, escapeHelp } from './text.ts'

/** How settled a metric is, as its help text shows it. */
export type StabilityLevel = 'INTERNAL' | 'ALPHA' | 'BETA' | 'STABLE'

/** What every metric has. */
export interface MetricOptions {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  /** Default ALPHA. */
  readonly stability?: StabilityLevel
}

/** What a histogram has, too. */
export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, inclusive and ascending; `+Inf` is added. */
  readonly buckets: readonly number[]
}

/** The metrics of one server, apart from all others (`component-base: metrics/registry.go`). */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric<Series>>()
  readonly #collectors = new Set<() => void>()

  /** Makes a counter, or gives the one of that name. */
  counter(options: MetricOptions): Counter {
    return this.#register(options.name, () => new Counter(options), Counter)
  }

  gauge(options: MetricOptions): Gauge {
    return this.#register(options.name, () => new Gauge(options), Gauge)
  }

  histogram(options: HistogramOptions): Histogram {
    return this.#register(options.name, () => new Histogram(options), Histogram)
  }

  /** Calls `collect` before metrics are read, to bring gauges up to date. Answers how to stop that. */
  onCollect(collect: () => void): () => void {
    this.#collectors.add(collect)
    return () => void this.#collectors.delete(collect)
  }

  /** All series that were ever touched, in the Prometheus text format 0.0.4. */
  toText(): string {
    for (const collect of this.#collectors) collect()
    let text = ''
    for (const name of [...this.#metrics.keys()].sort()) text += this.#metrics.get(name)!.toText()
    return text
  }

  /** The series of one metric, by its labels; for tests and assertions. */
  get(name: string): Metric<Series> | undefined {
    for (const collect of this.#collectors) collect()
    return this.#metrics.get(name)
  }

  #register<M extends Metric<Series>>(name: string, make: () => M, type: new (...args: never[]) => M): M {
    let metric = this.#metrics.get(name)
    if (metric === undefined) {
      metric = make()
      this.#metrics.set(name, metric)
    }
    if (!(metric instanceof type)) throw new TypeError(`metric ${name} is registered already as a ${metric.type}`)
    return metric
  }
}

interface Series {
  readonly labelValues: readonly string[]
  /** It is exposed from its first use on. */
  touched: boolean
}

/** One metric with all its series. */
export abstract class Metric<S extends Series> {
  readonly name: string
  readonly help: string
  readonly stability: StabilityLevel
  readonly labelNames: readonly string[]
  abstract readonly type: 'counter' | 'gauge' | 'histogram'
  readonly #series = new Map<string, S>()

  constructor(options: MetricOptions) {
    this.name = options.name
    this.help = options.help
    this.stability = options.stability ?? 'ALPHA'
    this.labelNames = options.labelNames ?? []
  }

  /**
   * The series with those labels. It is exposed from its first use on, so that it may be kept at hand.
   * Throws a TypeError for missing or unknown labels.
   */
  labels(labels: Readonly<Record<string, string>> = {}): S {
    let key = ''
    for (const name of this.labelNames) {
      const value = labels[name]
      if (value === undefined) throw new TypeError(`metric ${this.name}: label ${name} is missing`)
      // Two values must not run together; a NUL is in none that means anything.
      key += `${value}\0`
    }
    return this.#series.get(key) ?? this.#newSeries(key, labels)
  }

  #newSeries(key: string, labels: Readonly<Record<string, string>>): S {
    const unknown = Object.keys(labels).find((name) => !this.labelNames.includes(name))
    if (unknown !== undefined) throw new TypeError(`metric ${this.name}: unknown label ${unknown}`)
    const series = this.makeSeries(this.labelNames.map((name) => labels[name]!))
    this.#series.set(key, series)
    return series
  }

  /** All series that were used, by their label values. */
  series(): S[] {
    return [...this.#series.entries()]
      .filter(([, series]) => series.touched)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, series]) => series)
  }

  toText(): string {
    const series = this.series()
    if (series.length === 0) return ''
    let text = `# HELP ${this.name} [${this.stability}] ${escapeHelp(this.help)}\n# TYPE ${this.name} ${this.type}\n`
    for (const one of series) text += this.seriesText(one)
    return text
  }

  protected labelsText(series: S, extra?: readonly [name: string, value: string]): string {
    return formatLabels(this.labelNames, series.labelValues, extra)
  }

  protected abstract makeSeries(labelValues: readonly string[]): S
  protected abstract seriesText(series: S): string
}

/** A number that only grows. */
export class CounterSeries implements Series {
  readonly labelValues: readonly string[]
  touched = false
  #value = 0

  constructor(labelValues: readonly string[]) {
    this.labelValues = labelValues
  }

  get value(): number {
    return this.#value
  }

  inc(by: number = 1): void {
    if (!(by >= 0)) throw new TypeError(`a counter cannot grow by ${by}`)
    this.#value += by
    this.touched = true
  }
}

export class Counter extends Metric<CounterSeries> {
  readonly type = 'counter'

  protected makeSeries(labelValues: readonly string[]): CounterSeries {
    return new CounterSeries(labelValues)
  }

  protected seriesText(series: CounterSeries): string {
    return `${this.name}${this.labelsText(series)} ${formatFloat(series.value)}\n`
  }
}

/** A number that goes up and down. */
export class GaugeSeries implements Series {
  readonly labelValues: readonly string[]
  touched = false
  #value = 0

  constructor(labelValues: readonly string[]) {
    this.labelValues = labelValues
  }

  get value(): number {
    return this.#value
  }

  set(value: number): void {
    this.#value = value
    this.touched = true
  }

  add(by: number): void {
    this.set(this.#value + by)
  }
}

export class Gauge extends Metric<GaugeSeries> {
  readonly type = 'gauge'

  protected makeSeries(labelValues: readonly string[]): GaugeSeries {
    return new GaugeSeries(labelValues)
  }

  protected seriesText(series: GaugeSeries): string {
    return `${this.name}${this.labelsText(series)} ${formatFloat(series.value)}\n`
  }
}

/** How often values fell below each of several bounds. */
export class HistogramSeries implements Series {
  readonly labelValues: readonly string[]
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  touched = false
  #sum = 0
  #count = 0

  constructor(labelValues: readonly string[], bounds: readonly number[]) {
    this.labelValues = labelValues
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length }, () => 0)
  }

  get sum(): number {
    return this.#sum
  }

  get count(): number {
    return this.#count
  }

  /** Counts `value`, as often as `times` says. */
  observe(value: number, times: number = 1): void {
    this.touched = true
    this.#sum += value * times
    this.#count += times
    for (let i = 0; i < this.#bounds.length; i++) {
      if (value <= this.#bounds[i]!) {
        this.#counts[i]! += times
        return
      }
    }
  }

  /** How many values were at most each bound, the last being infinity. */
  cumulative(): { readonly bound: number; readonly count: number }[] {
    let sum = 0
    const out = this.#bounds.map((bound, i) => ({ bound, count: (sum += this.#counts[i]!) }))
    return [...out, { bound: Infinity, count: this.#count }]
  }
}

export class Histogram extends Metric<HistogramSeries> {
  readonly type = 'histogram'
  readonly #bounds: readonly number[]

  constructor(options: HistogramOptions) {
    super(options)
    this.#bounds = options.buckets
  }

  protected makeSeries(labelValues: readonly string[]): HistogramSeries {
    return new HistogramSeries(labelValues, this.#bounds)
  }

  protected seriesText(series: HistogramSeries): string {
    let text = ''
    for (const { bound, count } of series.cumulative()) {
      text += `${this.name}_bucket${this.labelsText(series, ['le', formatFloat(bound)])} ${count}\n`
    }
    const labels = this.labelsText(series)
    return `${text}${this.name}_sum${labels} ${formatFloat(series.sum)}\n${this.name}_count${labels} ${series.count}\n`
  }
}

declare module 'parse-prometheus-text-format' {
  interface ParsedMetric {
    readonly labels?: Readonly<Record<string, string>>
    readonly value?: string
    readonly buckets?: Readonly<Record<string, string>>
    readonly count?: string
    readonly sum?: string
  }

  interface ParsedFamily {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly ParsedMetric[]
  }

  export default function parsePrometheusTextFormat(text: string): ParsedFamily[]
}

/** A label selector as objects have it (`meta/v1: LabelSelector`). */
export interface LabelSelectorFields {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

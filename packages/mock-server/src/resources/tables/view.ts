/** Reads JSON of any shape: what is missing reads as the zero value that Go has for it. */
export class View {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** What is at the end of a path of field names. */
  at(...path: readonly string[]): View {
    let value = this.value
    for (const name of path)
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
    return new View(value)
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null
  }

  string(fallback = ''): string {
    return this.exists ? String(this.value) : fallback
  }

  /** The string, or `fallback` when it is missing or empty. */
  nonEmpty(fallback: string): string {
    return this.string() === '' ? fallback : this.string()
  }

  number(fallback = 0): number {
    return typeof this.value === 'number' ? this.value : fallback
  }

  bool(fallback = false): boolean {
    return typeof this.value === 'boolean' ? this.value : fallback
  }

  list(): readonly View[] {
    return Array.isArray(this.value) ? this.value.map((item) => new View(item)) : []
  }

  strings(): readonly string[] {
    return this.list().map((item) => item.string())
  }

  /** Keys of a map, sorted. */
  keys(): readonly string[] {
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)
      ? Object.keys(this.value).sort()
      : []
  }
}

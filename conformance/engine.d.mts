export function runScenario(scenario: unknown, target: unknown): Promise<unknown[]>
export function normalise(raw: unknown[], scenario?: unknown): unknown[]
export function tidy(value: unknown, key?: string): unknown
export function diff(want: unknown, got: unknown): unknown[]

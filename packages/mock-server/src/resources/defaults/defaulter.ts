/** Fills in what a Go struct (or named map) of one type lacks, in place. */
export type Defaulter = (value: Record<string, unknown>) => void

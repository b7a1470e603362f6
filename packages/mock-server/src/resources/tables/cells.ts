import type { CellMaker } from './cell-parts.ts'
import { coreCells } from './core-cells.ts'
import { networkCells } from './network-cells.ts'
import { otherCells } from './other-cells.ts'
import { storageCells } from './storage-cells.ts'
import { workloadCells } from './workload-cells.ts'

/** Cells by `group/resource`; kinds without an entry show their name and age, or when they were made. */
export const cellMakers: Readonly<Record<string, CellMaker>> = {
  ...coreCells,
  ...workloadCells,
  ...networkCells,
  ...storageCells,
  ...otherCells,
}

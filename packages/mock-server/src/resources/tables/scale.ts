import type { TablePrinter } from '../resource.ts'
import { since } from './duration.ts'
import { View } from './view.ts'

/** How the `scale` subresource of any resource is shown; built-in kinds and custom resources differ in a word. */
export function scalePrinter(builtIn: boolean): TablePrinter {
  return {
    columns: [
      { name: 'Name', type: 'string', format: builtIn ? '' : 'name', priority: 0 },
      { name: 'Desired', type: 'integer', format: '', priority: 0 },
      { name: 'Available', type: 'integer', format: '', priority: 0 },
      { name: 'Age', type: builtIn ? 'string' : 'date', format: '', priority: 0 },
    ],
    cells: (object, now) => {
      const scale = new View(object)
      return [
        scale.at('metadata', 'name').string(),
        scale.at('spec', 'replicas').number(),
        scale.at('status', 'replicas').number(),
        since(scale.at('metadata', 'creationTimestamp'), now),
      ]
    },
  }
}

import { stringify } from 'yaml'

/** Writes a value as YAML the way `sigs.k8s.io/yaml` does: keys sorted, sequences not indented. */
export function toYAML(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 80,
    minContentWidth: 0,
    aliasDuplicateObjects: false,
    singleQuote: true,
  })
}

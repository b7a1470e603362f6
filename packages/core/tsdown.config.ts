import { defineConfig } from 'tsdown'

export default defineConfig({
  // Flat names: several entries called index would lose their declarations to one another.
  entry: { index: 'src/index.ts', testing: 'src/testing/index.ts', etcd: 'src/storage/etcd/index.ts' },
  platform: 'neutral',
  fixedExtension: true,
  dts: true,
  deps: { neverBundle: [/^[a-z@]/] },
})

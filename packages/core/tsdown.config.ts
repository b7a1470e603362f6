import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/testing.ts', 'src/etcd.ts'],
  platform: 'neutral',
  fixedExtension: true,
  dts: true,
  deps: { neverBundle: [/^[a-z@]/] },
})

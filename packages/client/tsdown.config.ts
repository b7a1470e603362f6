import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts'],
  root: 'src',
  platform: 'neutral',
  dts: true,
  deps: { neverBundle: [/^[a-z@]/] },
})

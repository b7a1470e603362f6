import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/{index,axios,fetch,client-node}.ts'],
  root: 'src',
  platform: 'neutral',
  fixedExtension: true,
  dts: true,
  deps: { neverBundle: [/^[a-z@]/] },
})

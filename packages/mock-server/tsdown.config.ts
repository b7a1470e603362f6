import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/hosts/{msw,browser,http,vitest,cli}.ts'],
  root: 'src',
  platform: 'neutral',
  dts: true,
  // package.json promises .mjs, whatever its type says.
  fixedExtension: true,
  deps: { neverBundle: [/^[a-z@]/] },
})

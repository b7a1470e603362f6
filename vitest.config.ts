import { defineConfig } from 'vitest/config'

const conditions = ['@freshread/source']

export default defineConfig({
  resolve: { conditions: [...conditions, 'module', 'import', 'default'] },
  ssr: {
    resolve: { conditions: [...conditions, 'module', 'node', 'import', 'default'], externalConditions: conditions },
  },
  test: {
    include: ['{packages,examples,conformance,scripts}/**/*.test.ts'],
    reporters: ['default', './scripts/summary-reporter.ts'],
    // A test that needs more has a bug: time is stepped, never slept for.
    testTimeout: 20_000,
    execArgv: ['--expose-gc'],
    maxConcurrency: 4,
  },
})

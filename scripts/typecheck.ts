// Type-checks every package and program of the workspace; exits 1 when one has errors.
import { spawnSync } from 'node:child_process'

const projects = [
  'packages/core',
  'packages/client',
  'packages/mock-server',
  'examples',
  'conformance',
  'benchmarks',
  'scripts',
]
let failed = 0
for (const project of projects) {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) failed++
}
process.exitCode = failed > 0 ? 1 : 0

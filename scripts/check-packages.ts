// Packs each public package as npm would get it and checks the tarball with publint and attw.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const packages = ['core', 'client', 'mock-server']
const folder = mkdtempSync(join(tmpdir(), 'freshread-pack-'))
try {
  for (const name of packages) {
    execFileSync('npx', ['-y', 'pnpm@12.21.0', 'pack', '--pack-destination', folder], {
      cwd: join('packages', name),
      stdio: 'ignore',
    })
  }
  for (const file of readdirSync(folder).sort()) {
    const tarball = join(folder, file)
    execFileSync('publint', [tarball, '--strict'], { stdio: 'inherit' })
    execFileSync('attw', [tarball, '--profile', 'esm-only'], { stdio: 'inherit' })
  }
} finally {
  rmSync(folder, { recursive: true })
}

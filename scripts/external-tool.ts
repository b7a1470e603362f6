import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Path of a program that some tests need and the repository does not bring: `$FRESHREAD_<NAME>`, or the one on
 * PATH. Without it the tests are skipped and this prints why; when `$FRESHREAD_REQUIRE` lists it, that is an error.
 */
export function externalTool(name: 'etcd' | 'kubectl'): string | undefined {
  const given = process.env[`FRESHREAD_${name.toUpperCase()}`]
  if (given !== undefined && existsSync(given)) return given
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    const required = (process.env['FRESHREAD_REQUIRE'] ?? '').split(',').includes(name)
    if (required) throw new Error(`${name} is required here and was not found`)
    console.log(`skipped: no ${name} (set FRESHREAD_${name.toUpperCase()} or put it on PATH)`)
    return undefined
  }
}

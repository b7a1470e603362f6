import { readFileSync } from 'node:fs'
import { serve } from '@freshread/mock-server/http'
import { describe, expect, it } from 'vitest'
import { externalTool } from '../../scripts/external-tool.ts'
import { compare, loadSessions, runSession, type Answer } from './run.mjs'

const kubectl = externalTool('kubectl')
if (kubectl !== undefined) process.env['KUBECTL'] = kubectl

const sessions = await loadSessions()
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))

/** Sessions that do not yet say what they say against a real server. It may only shrink. */
const knownGaps = new Set(read('known-gaps.json') as string[])

// Most of a session is kubectl starting up: several run at a time.
describe.skipIf(kubectl === undefined).concurrent('kubectl says what it says against a real kube-apiserver', () => {
  it.each(sessions)('$name: $topic', { timeout: 300_000 }, async (session) => {
    const served = await serve()
    try {
      const { steps } = read(`golden/${session.name}.json`) as { steps: Answer[] }
      const differences = compare(await runSession(session, served.url), steps)
      if (knownGaps.has(session.name)) expect(differences, 'equal now: take it out of known-gaps.json').not.toEqual([])
      else expect(differences).toEqual([])
    } finally {
      await served.close()
    }
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseReport } from './parse-report.ts'
import { run } from '../support/run-program.ts'
import { type Host, startHost } from './host.ts'

const program = join(import.meta.dirname, 'missing-globals/program.ts')

/**
 * Things that a runtime may lack, or have in a form that is not to the standard. Node's own `fetch` needs the classes
 * of streams and of Blobs; that there are none is tested in Hermes.
 */
const missing = [
  'nothing',
  'crypto',
  'AbortSignal.any',
  'AbortSignal.timeout',
  'structuredClone',
  'FormData',
  'DOMException',
  'URL',
  'URL.canParse',
  'a URL of React Native',
  'a fetch of React Native',
]

let host: Host
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

describe.each(missing)('without %s', (what) => {
  test('a call works, or a typed error says what is missing', async () => {
    // Only React Native has others than the standard's, by a condition of its own.
    const isNative = what.startsWith('URL') || what.includes('React Native')
    const conditions = ['@svc/source', ...(isNative ? ['react-native'] : [])]
    const options = conditions.map((condition) => `--conditions=${condition}`)
    const args = [...options, program, what, host.service, host.control]
    const { stdout } = await run(process.execPath, args)
    const report = parseReport(stdout)
    expect(report.length).toBeGreaterThan(0)
    expect(report.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  })
})

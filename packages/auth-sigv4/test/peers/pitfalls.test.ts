import { readFile } from 'node:fs/promises'
import { createEmulator, type ListeningEmulator } from '@svc/emulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients } from './naive-clients.ts'
import { type Outcome, type Pitfall, pitfalls } from './pitfalls.ts'
import { withTable } from './pitfall-table.ts'

const emulator = createEmulator()
let server: ListeningEmulator
beforeAll(async () => {
  server = await emulator.listen()
})
afterAll(() => server.close())

describe('where signatures go wrong', () => {
  test.each(pitfalls)('$what', async ({ request, outcomes }) => {
    const found: Partial<Record<keyof typeof clients, Outcome>> = {}
    for (const name of ['ours', 'aws4', 'aws4fetch', 'smithy'] as const) {
      found[name] = await outcome(name, request)
    }
    expect(found).toEqual(outcomes)
  })

  test('is told by what the documents say; what S3 itself does, as a report', () => {
    const told = pitfalls.map(({ why }) => why).filter((why) => /\bS3\b/.test(why))
    const reported = told.filter((why) => /the documents .*\(.*S3.*, by public reports\)/.test(why))
    expect(reported).toHaveLength(2)
    expect(told).toEqual(reported)
  })

  test('is what the table in the guide says: pnpm run table', async () => {
    const readme = await readFile(
      new URL('../../../../docs/guides/signing.md', import.meta.url),
      'utf8',
    )
    expect(withTable(readme)).toBe(readme)
  })
})

async function outcome(name: keyof typeof clients, request: Pitfall['request']): Promise<Outcome> {
  emulator.reset()
  try {
    const response = await clients[name](server.url.origin, request)
    await response.arrayBuffer()
  } catch {
    // Where it came this far, it was not the signing that threw.
    if (emulator.requests.length === 0) return 'throws'
  }
  const arrived = emulator.requests.at(-1)
  if (arrived?.auth.ok !== true) return 'refused'
  const { pathname, search } = new URL(server.url.origin + request.target)
  const isMeant = Buffer.from(plain(arrived.target)).equals(Buffer.from(plain(pathname + search)))
  const isWhole = (request.body === undefined) === (arrived.body.byteLength === 0)
  return isMeant && isWhole ? 'accepted' : 'altered'
}

/** Path and query in one order and without escapes, in Latin-1. */
function plain(target: string): string {
  const [path = '', query = ''] = target
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .split('?')
  return `${path}?${query.split('&').toSorted().join('&')}`
}

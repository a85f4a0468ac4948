import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Calls } from './fixtures/count-calls.ts'

const execute = promisify(execFile)
const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name)

// The hash of the canonical request, and the two of an HMAC whose pads are made.
const signedGet: Calls = { urls: 1, headers: 0, requests: 0, hashes: 3, hmacs: 0 }
const tokenGet: Calls = { urls: 1, headers: 0, requests: 0, hashes: 0, hmacs: 0 }

describe('a request through authFetch costs no more than', () => {
  let counted: Record<string, Calls>
  beforeAll(async () => {
    const { stdout } = await execute(process.execPath, [
      '--conditions=@svc/source',
      '--import',
      fixture('count-calls.ts'),
      fixture('send-counted.ts'),
    ])
    // The fixture wrote it.
    counted = JSON.parse(stdout) as Record<string, Calls>
  })

  test.each([
    ['signed GET', signedGet],
    // One hash more, that of the body.
    ['signed POST', { ...signedGet, hashes: 4 }],
    ['token GET', tokenGet],
    ['signed GET through a selector', signedGet],
    ['token GET through a selector', tokenGet],
  ])('%s: one URL parsed, three hashes where it is signed', (name, budget) => {
    expect(counted[name]).toEqual(budget)
  })
})

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { FilesOfACall } from './fixtures/files-of-a-call.ts'

const execute = promisify(execFile)
const program = join(import.meta.dirname, 'fixtures/files-of-a-call.ts')

let results: readonly FilesOfACall[]
beforeAll(async () => {
  const { stdout } = await execute(process.execPath, [
    '--conditions=@svc/source',
    program,
    '--json',
  ])
  // The program wrote it.
  results = JSON.parse(stdout) as FilesOfACall[]
})

// So that a reader can follow a request: a file more needs a reason.
test.each([
  ['authFetch + token, GET', 22],
  ['authFetch + sigv4, GET with a query', 23],
  ['authFetch + sigv4, PUT of a Request', 25],
  ['authFetch + selector, GET /user', 23],
  ['axios + token, GET', 32],
  ['axios + sigv4, PUT', 35],
  ['got + token, GET', 28],
  ['got + sigv4, PUT', 30],
  ['undici + token, GET', 24],
  ['emulator: verifySigV4 of a GET', 11],
])('%s runs through at most %i files', (call, most) => {
  const files = results.find((result) => result.call === call)?.files ?? []
  expect(files.length).toBeGreaterThan(4)
  expect(files.slice(most)).toEqual([])
})

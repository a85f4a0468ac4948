import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers'
import { awsCredentials } from '@svc/auth-sigv4/credentials'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { run } from '../support/run-program.ts'
import { configurations } from './aws-chain/configurations.ts'
import { differences } from './aws-chain/differences.ts'
import { type Found, prepare, type Prepared } from './aws-chain/prepared.ts'
import { secretOf, startStubs, type Stubs } from './aws-chain/stubs.ts'

const scripts = join(import.meta.dirname, 'aws-chain')
const node = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
const programs: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  ours: [process.execPath, ...node, join(scripts, 'run-chains.ts'), 'ours'],
  sdk: [process.execPath, ...node, join(scripts, 'run-chains.ts'), 'sdk'],
  botocore: ['/usr/bin/python3', join(scripts, 'find_keys.py')],
}
const hasBotocore = hasProgram(
  'botocore',
  ['/usr/bin/python3', '-c', 'import botocore'],
  'apt-get install -y --no-install-recommends python3-botocore',
)
const others: readonly ('sdk' | 'botocore')[] = hasBotocore ? ['sdk', 'botocore'] : ['sdk']

let stubs: Stubs
let folder: string
const found: Record<string, readonly Found[]> = {}

beforeAll(async () => {
  stubs = await startStubs()
  folder = mkdtempSync(join(tmpdir(), 'aws-chain-'))
  const form = { type: 'sec1', format: 'pem' } as const
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export(form).toString()
  const find = async (name: string): Promise<void> => {
    const prepared = configurations.map((configuration, index): Prepared =>
      prepare(configuration, join(folder, `${name}-${index}`), stubs.origins, pem),
    )
    const [command = '', ...args] = programs[name] ?? []
    const { stdout, stderr } = await run(command, args, JSON.stringify(prepared))
    if (stdout === '') throw new Error(stderr)
    found[name] = JSON.parse(stdout) as Found[]
  }
  await Promise.all(['ours', ...others].map(find))
})
afterAll(() => {
  stubs.close()
  rmSync(folder, { recursive: true })
})

test('there are more than 60 configurations, each with a name of its own', () => {
  expect(new Set(configurations.map(({ name }) => name)).size).toBe(configurations.length)
  expect(configurations.length).toBeGreaterThan(60)
})

describe.each(configurations.map(({ name, finds }, index) => ({ name, finds, index })))(
  '$name',
  ({ name, finds, index }) => {
    test(`finds ${finds}`, () => {
      const { error = 'none', ...key } = found['ours']?.[index] ?? {}
      const isKey = finds !== 'error'
      const { accessKeyId, secretAccessKey, sessionToken } = key
      expect(error).toMatch(isKey ? /^none$/ : /^AuthError: \[@svc\/auth-sigv4\] awsCredentials: /)
      expect(error).not.toMatch(/secret-of|token-of|a-token|secret message/)
      expect(accessKeyId).toBe(isKey ? finds : undefined)
      expect(secretAccessKey).toBe(isKey ? secretOf(finds) : undefined)
      expect([undefined, `token-of-${finds}`]).toContain(sessionToken)
    })

    test.each(others)('as %s does, unless the table says why not', (other) => {
      const [ours, theirs] = [found['ours']?.[index], found[other]?.[index]].map(keyOf)
      const isSame = isDeepStrictEqual(ours, theirs)
      const isListed = differences[other][name] !== undefined
      expect({ ours, theirs, isListed }).toEqual({ ours, theirs, isListed: !isSame })
    })
  },
)

test('it fits the AWS SDK as a provider, by its types too', () => {
  const masterCredentials = awsCredentials()
  const provider = fromTemporaryCredentials({ masterCredentials, params: { RoleArn: 'reader' } })
  expect(provider).toBeTypeOf('function')
})

test('the table names no configuration that is not there', () => {
  const names = configurations.map(({ name }) => name)
  for (const table of Object.values(differences))
    expect(names).toEqual(expect.arrayContaining(Object.keys(table)))
})

/** Returns what must be the same: the key, or that there is none. */
function keyOf({ error, ...key }: Found = {}): object {
  return error === undefined ? key : { error: 'none' }
}

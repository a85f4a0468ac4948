import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  fromIni,
  fromNodeProviderChain,
  fromTemporaryCredentials,
  fromTokenFile,
  fromWebToken,
} from '@aws-sdk/credential-providers'
import { type ApiKeyProvider, authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { startSts, type TemporaryKey } from '../../examples/stand-ins/sts.ts'

const key = { accessKeyId: 'ASIAREADER', secretAccessKey: 'not-a-secret', sessionToken: 'session' }
const roleArn = 'arn:aws:iam::000000000000:role/reader'
const hourMs = 3_600_000

/** A service, and a token service for it whose keys end so long from now. */
async function setUp(lifetimeMs: () => number) {
  let offMs = 0
  const clock = (): number => Date.now() + offMs
  const emulator = createEmulator({ apiKeys: [key], clock })
  const server = await emulator.listen()
  const sts = await startSts((): TemporaryKey => ({
    ...key,
    expiration: new Date(Date.now() + lifetimeMs()),
  }))
  const folder = mkdtempSync(join(tmpdir(), 'aws-credentials-'))
  onTestFinished(async () => {
    sts.close()
    rmSync(folder, { recursive: true })
    await server.close()
  })
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const connect = (credentials: ApiKeyProvider) =>
    authFetch(
      createSigV4Auth({
        baseUrl: server.url,
        region: 'us-east-1',
        credentials,
        clock,
      }),
    )
  return {
    emulator,
    sts,
    file,
    connect,
    clientConfig: { region: 'us-east-1', endpoint: sts.url },
    url: `${server.url.origin}/V1/report.csv`,
    advance: (ms: number) => (offMs += ms),
  }
}

type World = Awaited<ReturnType<typeof setUp>>

const masterCredentials = { accessKeyId: 'AKIDAPP', secretAccessKey: 'not-a-secret-either' }

const profile = ({ file }: World) => {
  const filepath = file(
    'credentials',
    [
      '[app]',
      `aws_access_key_id = ${masterCredentials.accessKeyId}`,
      `aws_secret_access_key = ${masterCredentials.secretAccessKey}`,
      '[reader]',
      `role_arn = ${roleArn}`,
      'source_profile = app',
    ].join('\n'),
  )
  return { profile: 'reader', filepath, configFilepath: filepath }
}

const providers: Readonly<Record<string, (world: World) => ApiKeyProvider>> = {
  fromTemporaryCredentials: ({ clientConfig }) =>
    fromTemporaryCredentials({ params: { RoleArn: roleArn }, masterCredentials, clientConfig }),
  fromTokenFile: ({ file, clientConfig }) =>
    fromTokenFile({ webIdentityTokenFile: file('token', 'a-token'), roleArn, clientConfig }),
  fromWebToken: ({ clientConfig }) =>
    fromWebToken({ webIdentityToken: 'a-token', roleArn, clientConfig }),
  fromIni: (world) => fromIni({ ...profile(world), clientConfig: world.clientConfig }),
  fromNodeProviderChain: (world) =>
    fromNodeProviderChain({ ...profile(world), clientConfig: world.clientConfig }),
}

for (const [name, provider] of Object.entries(providers)) {
  test(`${name} is asked once for 30 requests, until 5 minutes before the end`, async () => {
    const world = await setUp(() => hourMs)
    const { emulator, sts, connect, url, advance } = world
    const signedFetch = connect(provider(world))
    const send = () => Promise.all(Array.from({ length: 30 }, () => signedFetch(url)))
    const statuses = (await send()).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(emulator.requests.every(({ auth }) => auth.ok)).toBe(true)
    expect(sts.actions).toHaveLength(1)
    expect(sts.actions[0]).toMatch(/^AssumeRole/)

    advance(hourMs - 6 * 60_000)
    await send()
    expect(sts.actions).toHaveLength(1)
    if (name === 'fromNodeProviderChain') return
    advance(2 * 60_000)
    await send()
    // It is renewed beside the requests.
    await expect.poll(() => sts.actions.length).toBe(2)
    expect(emulator.requests.every(({ auth }) => auth.ok)).toBe(true)
  })
}

test('a key of a token service that is over already is a typed error, and no storm', async () => {
  let lifetimeMs = -60_000
  const world = await setUp(() => lifetimeMs)
  const { emulator, sts, connect, url, clientConfig, advance } = world
  const signedFetch = connect(
    fromTemporaryCredentials({ params: { RoleArn: roleArn }, masterCredentials, clientConfig }),
  )
  const expired = {
    code: 'ERR_AUTH_CREDENTIALS',
    message: expect.stringMatching(
      /^\[@svc\/auth-sigv4\] the credentials function returned a key that expired at \d{4}-.+Z; it is .+Z here$/,
    ),
    retryAt: expect.any(Number),
  }
  for (let round = 0; round < 3; round += 1) {
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => signedFetch(url)))
    for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: expired })
  }
  expect(sts.actions).toEqual(['AssumeRole'])
  expect(emulator.requests).toEqual([])

  lifetimeMs = hourMs
  advance(5000)
  expect((await signedFetch(url)).status).toBe(404)
  expect(sts.actions).toEqual(['AssumeRole', 'AssumeRole'])
})

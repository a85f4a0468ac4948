import { createHash, generateKeyPairSync } from 'node:crypto'
import { authFetch } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import type { AwsCredentials } from '@svc/auth-sigv4/credentials'
import { describe, expect, test } from 'vitest'
import { createWorld, metadataKey, profileLines, type World } from '../support/aws-world.ts'
import { credentialsOf } from '../testing.ts'

const hourMs = 3_600_000
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const dpopKey = privateKey.export({ type: 'sec1', format: 'pem' })
const key = (id: string) => ({
  accessKeyId: id,
  secretAccessKey: `secret-of-${id}`,
  sessionToken: `token-of-${id}`,
})
const instant = (ms: number): string => new Date(Date.now() + ms).toISOString()

interface Kind {
  readonly config: string
  readonly path: string
  /** Returns the file of a login that lasts so long. */
  readonly file: (id: string, ms: number, refreshToken: string) => string
  readonly renewed: (id: string, refreshToken: string) => object
}

const kinds: readonly (readonly [name: string, kind: Kind])[] = [
  [
    'aws sso login',
    {
      config: ['a', 'b']
        .map(
          (name) =>
            `[profile ${name}]\nsso_session = me\nsso_account_id = 1\nsso_role_name = ${name}\n`,
        )
        .concat(
          '[sso-session me]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n',
        )
        .join(''),
      path: `.aws/sso/cache/${createHash('sha1').update('me').digest('hex')}.json`,
      file: (accessToken, ms, refreshToken) =>
        JSON.stringify({
          accessToken,
          expiresAt: instant(ms),
          clientId: 'c',
          clientSecret: 's',
          refreshToken,
        }),
      renewed: (accessToken, refreshToken) => ({ accessToken, refreshToken, expiresIn: 3600 }),
    },
  ],
  [
    'aws login',
    {
      config: ['a', 'b']
        .map((name) => `[profile ${name}]\nlogin_session = me\nregion = eu-west-1\n`)
        .join(''),
      path: `.aws/login/cache/${createHash('sha256').update('me').digest('hex')}.json`,
      file: (id, ms, refreshToken) =>
        JSON.stringify({
          accessToken: { ...key(id), expiresAt: instant(ms) },
          clientId: 'c',
          refreshToken,
          dpopKey,
        }),
      renewed: (id, refreshToken) => ({ accessToken: key(id), refreshToken, expiresIn: 900 }),
    },
  ],
]

/** A world whose login is over and whose refresh tokens are good for one renewal each. */
function signedIn(
  { config, file, path, renewed }: Kind,
  changes: Parameters<typeof createWorld>[0],
) {
  const sent: string[] = []
  const world: World = createWorld({
    fetch: async (input, init) => {
      const { url } = new Request(input)
      if (!url.endsWith('token')) {
        const roleCredentials = { ...key('NEW'), expiration: Date.now() + hourMs }
        const bearer = new Headers(init?.headers).get('x-amz-sso_bearer_token')
        return bearer === 'NEW'
          ? Response.json({ roleCredentials })
          : new Response(null, { status: 401 })
      }
      const { refreshToken } = JSON.parse(init?.body as string) as { refreshToken: string }
      sent.push(refreshToken)
      return sent.length === 1 && refreshToken === 'refresh-1'
        ? Response.json(renewed('NEW', 'refresh-2'))
        : new Response('{"error":"invalid_grant"}', { status: 400 })
    },
    ...changes,
  })
  world.write('.aws/config', config)
  world.write(path, file('OLD', -hourMs, 'refresh-1'))
  return { world, sent }
}

describe.each(kinds)('%s', (_name, kind) => {
  test('is renewed once for two sources of a process, although its file cannot be written', async () => {
    let fail = (): void => {}
    // Until both wait for the same renewal.
    const replaceFile = (): Promise<void> =>
      new Promise((_, reject) => (fail = () => reject(new Error('EROFS'))))
    const { world, sent } = signedIn(kind, { replaceFile })
    const both = Promise.all(['a', 'b'].map((profile) => world.create({ profile })()))
    // Both have read the file, which takes less than half a second.
    await new Promise((resolve) => setTimeout(resolve, 500))
    fail()
    const keys = await both
    expect(keys.map(({ accessKeyId }) => accessKeyId)).toEqual(['NEW', 'NEW'])
    expect(sent).toEqual(['refresh-1'])
  })

  test('is that of the process that renewed first, which writes it a moment after the refusal', async () => {
    const pauses: number[] = []
    const { world, sent } = signedIn(kind, {
      pause: async (ms) => {
        pauses.push(ms)
        if (pauses.length === 2) world.write(kind.path, kind.file('NEW', hourMs, 'refresh-2'))
      },
    })
    world.write(kind.path, kind.file('OLD', -hourMs, 'used'))
    expect((await world.create({ profile: 'a' })()).accessKeyId).toBe('NEW')
    expect(sent).toEqual(['used'])
    expect(pauses).toEqual([250, 500])
  })

  test('is over after less than two seconds, if nobody else renewed it', async () => {
    const pauses: number[] = []
    const { world } = signedIn(kind, { pause: async (ms) => void pauses.push(ms) })
    world.write(kind.path, kind.file('OLD', -hourMs, 'used'))
    expect(await world.problem({ profile: 'a' })).toMatch(/run aws (sso )?login --profile a$/)
    expect(pauses).toEqual([250, 500, 1000])
  })

  test('is renewed by another source, if the first is aborted within its renewal', async () => {
    const controller = new AbortController()
    const { world, sent } = signedIn(kind, {})
    let second: Promise<unknown> = Promise.resolve()
    const aborted = credentialsOf(
      {
        ...world.outside,
        signal: controller.signal,
        fetch: async () => {
          second = world.create({ profile: 'b' })()
          controller.abort()
          throw new Error('aborted')
        },
      },
      { profile: 'a' },
    )
    const [first] = await Promise.allSettled([aborted()])
    expect(first).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } })
    expect(await second).toMatchObject({ accessKeyId: 'NEW' })
    expect(sent).toEqual(['refresh-1'])
  })
})

describe('awsCredentials', () => {
  test('asks a source that gives no key again after a pause, which doubles up to 10 seconds', async () => {
    let runs = 0
    const world = createWorld({
      run: async () => {
        runs += 1
        return runs > 6 ? '{"Version":1,"AccessKeyId":"TOOL","SecretAccessKey":"b"}' : ''
      },
    })
    world.write('.aws/config', '[default]\ncredential_process = tool\n')
    const credentials = world.create()
    const fail = (): Promise<unknown> => credentials().then(String, (error: unknown) => error)
    const first = await fail()
    expect(first).toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
    for (let call = 1; call <= 20; call += 1) expect(await fail()).toBe(first)
    expect(runs).toBe(1)
    for (const ms of [1000, 2000, 4000, 8000, 10_000]) {
      world.advance(ms - 500)
      await fail()
      const before = runs
      world.advance(500)
      await fail()
      expect(runs).toBe(before + 1)
    }
    world.advance(10_000)
    expect((await credentials()).accessKeyId).toBe('TOOL')
  })

  test('gives no key after the abort of its signal', async () => {
    const controller = new AbortController()
    const world = createWorld({ signal: controller.signal })
    world.write('.aws/credentials', `[default]\n${profileLines('KEY')}`)
    const credentials = world.create()
    expect((await credentials()).accessKeyId).toBe('KEY')
    controller.abort()
    await expect(credentials()).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('keeps no key by a clock that was set back since', async () => {
    let count = 0
    const world = createWorld({
      fetch: async () => new Response(metadataKey(`KEY${(count += 1)}`, Date.now() + 25 * hourMs)),
    })
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://localhost/a'
    world.advance(24 * hourMs)
    const credentials = world.create()
    expect((await credentials()).accessKeyId).toBe('KEY1')
    world.advance(-24 * hourMs)
    expect((await credentials()).accessKeyId).toBe('KEY2')
    expect((await credentials()).accessKeyId).toBe('KEY2')
  })

  test('tells through createAwsAuth what was tried, and other functions tell nothing', async () => {
    const world = createWorld()
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    const problemOf = (credentials: AwsCredentials): Promise<string> =>
      authFetch(createAwsAuth({ credentials }))('https://sqs.eu-west-1.amazonaws.com/').then(
        () => 'sent',
        (error: unknown) => String(error),
      )
    expect(await problemOf(world.create())).toMatch(
      /no source gave a key\n- environment: .*\n- profile default: .*\n/,
    )
    const other = Object.assign(() => Promise.reject(new Error('a secret')), {
      region: async () => undefined,
    })
    expect(await problemOf(other)).toMatch(/the credentials function failed$/)
  })
})

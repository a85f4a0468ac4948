import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { authFetch } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { describe, expect, test } from 'vitest'
import { createWorld, metadataKey, profileLines, stsKey, type World } from '../support/aws-world.ts'
import { serveOnLoopback } from '../support/loopback.ts'
import { nodeOutside } from '../testing.ts'

const hourMs = 3_600_000
const roleArn = 'arn:aws:iam::000000000000:role/reader'
const roleFile = `[default]\nrole_arn = ${roleArn}\nsource_profile = base\n[profile base]\n${profileLines('BASE')}`

/** Deadlines that pass after 50 ms, whatever they are. */
const soon = (): AbortSignal => AbortSignal.timeout(50)

/** A service that sends a byte now and then, and never ends. */
const drip: RequestListener = (_request, response) => {
  const timer = setInterval(() => response.write('x'), 10)
  response.once('close', () => clearInterval(timer))
}

/** Sends 64 MiB, as far as anybody reads it. */
function flood(response: ServerResponse): void {
  const block = Buffer.alloc(1024 * 1024, 'x')
  let left = 64
  const more = (): void => {
    while (left > 0) {
      left -= 1
      if (!response.write(block)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}

/** A world whose environment names a container, with a server in its place. */
async function container(listener: RequestListener): Promise<World> {
  const world = createWorld()
  const origin = await serveOnLoopback(listener)
  world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${origin}/key`
  return world
}

/** A world in which a server stands in for all services of AWS. */
async function aws(listener: RequestListener): Promise<World> {
  const world = createWorld()
  world.variables['AWS_ENDPOINT_URL'] = await serveOnLoopback(listener)
  return world
}

describe('the shared files', () => {
  test('may begin with a mark and have the line ends of Windows', async () => {
    const world = createWorld()
    const text = `\uFEFF[default]\n${profileLines('WINDOWS')}`.replaceAll('\n', '\r\n')
    world.write('.aws/credentials', text)
    expect(await world.create()()).toMatchObject({
      accessKeyId: 'WINDOWS',
      secretAccessKey: 'secret-of-WINDOWS',
    })
  })

  test('that are links in a circle are a problem that is told', async () => {
    const world = createWorld()
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    mkdirSync(join(world.home, '.aws'))
    symlinkSync('config', join(world.home, '.aws/config'))
    expect(await world.problem()).toContain('config cannot be read (ELOOP)')
  })

  test('of a user without a folder are none: the next source is asked', async () => {
    const world = createWorld({
      home: () => {
        throw Object.assign(new Error('no entry in passwd'), { code: 'ERR_SYSTEM_ERROR' })
      },
      fetch: async () => new Response(metadataKey('TASK')),
    })
    delete world.variables['HOME']
    world.variables['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] = '/key'
    expect(await world.problem()).toBe('found TASK')
  })

  test('with ten roles in a row ask STS ten times, each by the key of the one before', async () => {
    const signers: string[] = []
    const world = await aws((request, response) => {
      signers.push(/Credential=([^/]+)/.exec(String(request.headers.authorization))?.[1] ?? '')
      response.end(stsKey(`ROLE${signers.length}`))
    })
    const link = (index: number): string =>
      `[profile p${index}]\nrole_arn = ${roleArn}${index}\nsource_profile = p${index + 1}\n`
    const links = Array.from({ length: 10 }, (_none, index) => link(index)).join('')
    world.write('.aws/config', `${links}[profile p10]\n${profileLines('LAST')}`)
    expect((await world.create({ profile: 'p0' })()).accessKeyId).toBe('ROLE10')
    const roles = Array.from({ length: 9 }, (_none, index) => `ROLE${index + 1}`)
    expect(signers).toEqual(['LAST', ...roles])
  })
})

describe('a server', () => {
  test.each<[what: string, listener: RequestListener]>([
    ['sends a byte now and then', drip],
    ['never responds', () => {}],
  ])('of the container that %s is left after the deadline', async (_what, listener) => {
    const world = await container(listener)
    Object.assign(world.outside, { deadline: soon })
    expect(await world.problem()).toMatch(/endpoint of the container .* did not respond within/)
  })

  test('that sends 64 MiB is left long before', async () => {
    let socket: ServerResponse['socket'] = null
    const world = await container((_request, response) => {
      socket = response.socket
      flood(response)
    })
    expect(await world.problem()).toContain('responded with more than 262144 bytes')
    await expect.poll(() => socket?.destroyed).toBe(true)
    expect(socket).toMatchObject({ bytesWritten: expect.any(Number) })
    expect(Number(Object(socket).bytesWritten)).toBeLessThan(32 * 1024 * 1024)
  })

  test('that hangs is no reason to wait for those that abort', async () => {
    const world = await container(() => {})
    const get = authFetch(createAwsAuth({ credentials: world.create(), region: 'eu-west-1' }))
    const controller = new AbortController()
    const url = 'https://sqs.eu-west-1.amazonaws.com/'
    const calls = Array.from({ length: 1000 }, () => get(url, { signal: controller.signal }))
    const settled = Promise.allSettled(calls)
    await expect.poll(() => world.requested.length).toBe(1)
    controller.abort()
    const reasons = (await settled).map((one) => one.status === 'rejected' && one.reason.name)
    expect(new Set(reasons)).toEqual(new Set(['AbortError']))
    expect(world.requested).toHaveLength(1)
  })

  test('is asked once by 1,000 callers, and once more after it gave none and a pause', async () => {
    let count = 0
    const world = await container((_request, response) => {
      count += 1
      response.end(count === 1 ? '{}' : metadataKey('TASK'))
    })
    const credentials = world.create()
    const all = () => Promise.allSettled(Array.from({ length: 1000 }, () => credentials()))
    expect(new Set((await all()).map(({ status }) => status))).toEqual(new Set(['rejected']))
    world.advance(1000)
    expect(new Set((await all()).map(({ status }) => status))).toEqual(new Set(['fulfilled']))
    await all()
    expect(count).toBe(2)
  })

  test.each<[offHours: number, leftMinutes: number, told: string]>([
    [1, 30, 'found TASK'],
    [-1, 30, 'found TASK'],
    [1, -10, 'its key expired at'],
    [-1, -10, 'its key expired at'],
  ])(
    'whose clock is %d hours behind this one tells by its own how long a key lasts: %d minutes',
    async (offHours, leftMinutes, told) => {
      const end = Date.now() + leftMinutes * 60_000
      const world = await container((_request, response) => response.end(metadataKey('TASK', end)))
      world.advance(offHours * hourMs)
      expect(await world.problem()).toContain(told)
    },
  )

  test.each([1e300, -1e300, 8.64e15 + 1])(
    'whose key ends at %d, which is no date, gives none',
    async (expiration) => {
      const roleCredentials = {
        accessKeyId: 'SSO',
        secretAccessKey: 'secret-of-SSO',
        sessionToken: 'token-of-SSO',
        expiration,
      }
      const { world } = await signedIn({ accessToken: 'access', expiresAt: in1Hour() }, () => ({
        roleCredentials,
      }))
      expect(await world.problem()).toContain('responded with an expiration that is no date')
    },
  )
})

describe('STS', () => {
  test.each<[what: string, status: number, body: string, problem: string]>([
    ['a page', 200, '<html><body>Sign in</body></html>', 'STS responded without Expiration'],
    ['a page as an error', 502, '<html>Bad gateway</html>', 'role/reader: 502'],
    ['nothing', 503, '', 'role/reader: 503'],
    ['JSON', 400, '{"Error":{"Code":"AccessDenied"}}', 'role/reader: 400'],
  ])('that responds with %s gives no key', async (_what, status, body, problem) => {
    const world = await aws((_request, response) => response.writeHead(status).end(body))
    world.write('.aws/config', roleFile)
    expect(await world.problem()).toContain(problem)
  })

  test.each(['Throttling', 'ThrottlingException', 'IDPCommunicationError'])(
    'that is busy (400 %s) is asked again, three times in all',
    async (code) => {
      let count = 0
      const world = await aws((_request, response) => {
        count += 1
        if (count < 3) response.writeHead(400).end(`<Error><Code>${code}</Code></Error>`)
        else response.end(stsKey('ROLE'))
      })
      world.write('.aws/config', roleFile)
      expect(await world.problem()).toBe('found ROLE')
      expect(count).toBe(3)
    },
  )

  test.each<[what: string, body: string]>([
    ['blanks', `<Code>${' '.repeat(250_000)}`],
    ['open tags', '<Code>'.repeat(40_000)],
    ['open tags and blanks', '<Code> '.repeat(35_000)],
  ])('that responds with many %s takes no time', async (_what, body) => {
    const world = await aws((_request, response) => response.writeHead(403).end(body))
    world.write('.aws/config', roleFile)
    const start = performance.now()
    expect(await world.problem()).toContain('role/reader: 403')
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test.each<[line: string, field: string]>([
    ['aws_access_key_id = hidden-ü', 'accessKeyId'],
    ['aws_secret_access_key = hidden value', 'secretAccessKey'],
    ['aws_session_token = hidden-\u200b', 'sessionToken'],
  ])('is not asked by a key that cannot be sent (%s)', async (line, field) => {
    const world = await aws((_request, response) => response.end(stsKey('ROLE')))
    const [name = ''] = line.split(' ')
    const others = profileLines('BASE')
      .split('\n')
      .filter((one) => !one.startsWith(name))
    world.write(
      '.aws/config',
      roleFile.replace(profileLines('BASE'), `${others.join('\n')}\n${line}\n`),
    )
    const problem = await world.problem()
    expect(problem).toContain(`credentials.${field} must be`)
    expect(problem).not.toContain('hidden')
    expect(world.requested).toEqual([])
  })

  test('a token file that is replaced while STS is busy is sent as it was read', async () => {
    const tokens: (string | null)[] = []
    let world: World | undefined = undefined
    const started = await aws(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      tokens.push(new URLSearchParams(body).get('WebIdentityToken'))
      world?.write('token', `token-${tokens.length + 1}`)
      if (tokens.length === 1) response.writeHead(500).end()
      else response.end(stsKey('POD'))
    })
    world = started
    world.write('token', 'token-1\n')
    const own = { AWS_WEB_IDENTITY_TOKEN_FILE: '~/token', AWS_ROLE_ARN: roleArn }
    Object.assign(world.variables, own)
    expect(await world.problem()).toBe('found POD')
    expect(tokens).toEqual(['token-1', 'token-1'])
  })
})

const in1Hour = (): string => new Date(Date.now() + hourMs).toISOString()

/** A world with a token of IAM Identity Center, and a server that responds with a document to each path. */
async function signedIn(
  token: object,
  respond: (path: string) => object,
  session = 'me',
): Promise<{ world: World; file: string; paths: string[] }> {
  const paths: string[] = []
  const world = await aws((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    paths.push(path)
    response.end(JSON.stringify(respond(path)))
  })
  const settings = 'sso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n'
  world.write(
    '.aws/config',
    `[default]\nsso_session = ${session}\nsso_account_id = 1\nsso_role_name = dev\n[sso-session ${session}]\n${settings}`,
  )
  const path = `.aws/sso/cache/${createHash('sha1').update(session).digest('hex')}.json`
  world.write(path, JSON.stringify(token))
  return { world, file: join(world.home, path), paths }
}

describe('IAM Identity Center', () => {
  const over = {
    accessToken: 'old',
    expiresAt: '2020-01-01T00:00:00Z',
    clientId: 'c',
    clientSecret: 'client-secret',
    refreshToken: 'refresh',
  }

  test.each<[what: string, renewed: object]>([
    ['no header', { accessToken: 'a\r\nb', expiresIn: 3600 }],
    ['empty', { accessToken: '', expiresIn: 3600 }],
    ['without end', { accessToken: 'access', expiresIn: 1e300 }],
    ['over', { accessToken: 'access', expiresIn: -1 }],
  ])('whose new token is %s has none, and the file stays', async (_what, renewed) => {
    const { world, file, paths } = await signedIn(over, () => renewed)
    const problem = await world.problem()
    expect(problem).toContain('run aws sso login --profile default')
    expect(problem).not.toMatch(/client-secret|refresh|access/)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(over)
    expect(paths).toEqual(['/token'])
  })

  test.each(['../../../etc/passwd', '/etc/passwd', '..', 'a/../../b', '__proto__', '%2e%2e'])(
    'keeps the token of a session named %s within its folder',
    async (session) => {
      const opened: string[] = []
      const { world } = await signedIn(
        { accessToken: 'access', expiresAt: in1Hour() },
        () => ({}),
        session,
      )
      const { readFile } = world.outside
      Object.assign(world.outside, {
        readFile: (path: string) => {
          opened.push(path)
          return readFile(path)
        },
      })
      await world.problem()
      const cached = opened.filter((path) => !/\/\.aws\/(?:config|credentials)$/.test(path))
      expect(cached).toHaveLength(1)
      expect(cached[0]).toMatch(/\/\.aws\/sso\/cache\/[\da-f]{40}\.json$/)
    },
  )

  test.each(['http://evil.example/start', 'javascript:alert(1)', 'x', 'https://u:p@evil.example/'])(
    'is never asked at the start URL (%s): the region names the host',
    async (startUrl) => {
      const world = createWorld({ fetch: async () => new Response('{}', { status: 401 }) })
      world.write(
        '.aws/config',
        `[default]\nsso_start_url = ${startUrl}\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = dev\n`,
      )
      const path = `.aws/sso/cache/${createHash('sha1').update(startUrl).digest('hex')}.json`
      world.write(path, JSON.stringify({ accessToken: 'access', expiresAt: in1Hour() }))
      await world.problem()
      const hosts = world.requested.map((url) => new URL(url).host)
      expect(hosts).toEqual(['portal.sso.eu-west-1.amazonaws.com'])
    },
  )

  test('leaves a file whole that two writers replace in the same millisecond', async () => {
    const world = createWorld()
    world.write('cache/token.json', 'old')
    const path = join(world.home, 'cache/token.json')
    const { replaceFile } = nodeOutside(fetch, () => 1)
    const texts = Array.from({ length: 20 }, (_none, index) => `text ${index}`)
    await Promise.all(texts.map((text) => replaceFile(path, text)))
    expect(texts).toContain(readFileSync(path, 'utf8'))
    expect(readdirSync(join(world.home, 'cache'))).toEqual(['token.json'])
  })
})

describe('aws login', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { accessKeyId: 'OLD', secretAccessKey: 'secret-of-OLD', sessionToken: 'token-of-OLD' }
  const over = {
    accessToken: { ...key, accountId: '1', expiresAt: '2020-01-01T00:00:00Z' },
    clientId: 'c',
    refreshToken: 'refresh',
    dpopKey: privateKey.export({ type: 'sec1', format: 'pem' }),
    signInRegion: 'eu-west-1',
  }

  test.each<[what: string, body: string]>([
    ['a page', '<html>Sign in</html>'],
    ['no key', '{"expiresIn":900}'],
    ['half a key', '{"accessToken":{"accessKeyId":"NEW"},"expiresIn":900}'],
    ['a key that is over', JSON.stringify({ accessToken: key, expiresIn: -1 })],
    ['a key without end', JSON.stringify({ accessToken: key, expiresIn: 1e300 })],
  ])('that is renewed with %s is over, and the file stays', async (_what, body) => {
    const asked: string[] = []
    const world = await aws((request, response) => {
      asked.push(request.url ?? '')
      response.end(body)
    })
    world.write('.aws/config', '[default]\nlogin_session = me\n')
    const path = `.aws/login/cache/${createHash('sha256').update('me').digest('hex')}.json`
    world.write(path, JSON.stringify(over))
    const problem = await world.problem()
    expect(problem).toContain('the login is over: run aws login --profile default')
    expect(problem).not.toMatch(/secret-of|token-of|refresh/)
    expect(JSON.parse(readFileSync(join(world.home, path), 'utf8'))).toEqual(over)
    expect(asked).toEqual(['/v1/token'])
  })
})

describe('no secret', () => {
  const environments: readonly (readonly [name: string, value: string])[] = [
    ['AWS_SECRET_ACCESS_KEY', 'hidden value'],
    ['AWS_SECRET_ACCESS_KEY', 'hidden\n'],
    ['AWS_SECRET_ACCESS_KEY', ' hidden'],
    ['AWS_SESSION_TOKEN', 'hidden\r\nx: y'],
    ['AWS_ACCESS_KEY_ID', '"hidden id" '],
    ['AWS_CREDENTIAL_EXPIRATION', 'hidden'],
  ]

  test.each(environments)('of the environment (%s = %j) is in an error', async (name, value) => {
    const world = createWorld()
    Object.assign(world.variables, {
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'hidden',
      AWS_SESSION_TOKEN: 'hidden',
      [name]: value,
    })
    const error = await world
      .create()()
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
    const shown = [
      String(error),
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
    ]
    expect(shown.join('\n')).not.toContain('hidden')
    expect(world.requested).toEqual([])
  })

  test('is in what a function of awsCredentials shows', async () => {
    const world = createWorld()
    world.write('.aws/credentials', `[default]\n${profileLines('KEY')}`)
    const credentials = world.create()
    await credentials()
    const shown =
      inspect(credentials, { depth: 9, showHidden: true }) + JSON.stringify({ credentials })
    expect(shown).not.toMatch(/secret-of|KEY/)
  })
})

test.each<[profile: string, told: string]>([
  ['"app"', 'profile "app": neither'],
  [' app ', 'profile  app : neither'],
  ['app\n', 'neither the config file'],
])('AWS_PROFILE is taken as it is (%j)', async (profile, told) => {
  const world = createWorld()
  world.variables['AWS_PROFILE'] = profile
  world.write('.aws/config', `[profile app]\n${profileLines('APP')}`)
  expect(await world.problem()).toContain(told)
  expect(world.requested).toEqual([])
})

import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { verifySigV4 } from '@svc/emulator'
import { describe, expect, test } from 'vitest'
import { createWorld, profileLines, stsKey, type World } from '../support/aws-world.ts'
import { serveOnLoopback } from '../support/loopback.ts'

const hourMs = 3_600_000
const role = 'arn:aws:iam::000000000000:role/reader'
const roleFile = `[default]\nrole_arn = ${role}\nsource_profile = base\n[profile base]\n${profileLines('BASE')}`

type Respond = (
  request: IncomingMessage,
  body: string,
) => readonly [status: number, body: string, headers?: Record<string, string>]

/** Starts a service, and a world that asks it in place of all of AWS. */
async function service(respond: Respond): Promise<World> {
  const origin = await serveOnLoopback(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const [status, text, headers = {}] = respond(request, body)
    response.writeHead(status, headers).end(text)
  })
  const world = createWorld()
  world.variables['AWS_ENDPOINT_URL'] = `${origin}/`
  return world
}

describe('STS', () => {
  test('whose clock differs is asked once more, and the key ends by the clock here', async () => {
    const offMs = 2 * hourMs
    const dates: string[] = []
    const world = await service((request) => {
      dates.push(String(request.headers['x-amz-date']))
      const now = Date.now() + offMs
      const headers = { date: new Date(now).toUTCString() }
      if (dates.length === 1) return [403, '<Code>SignatureDoesNotMatch</Code>', headers]
      return [200, stsKey('ROLE', now + hourMs), headers]
    })
    world.write('.aws/config', roleFile)
    const { accessKeyId, expiresAt = 0 } = await world.create()()
    expect(accessKeyId).toBe('ROLE')
    expect(Math.abs(expiresAt - Date.now() - hourMs)).toBeLessThan(60_000)
    const [first = '', second = ''] = dates.map((date) =>
      Date.parse(date.replace(/^(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5')),
    )
    expect(Number(second) - Number(first)).toBeGreaterThan(offMs - 60_000)
    expect(dates).toHaveLength(2)
  })

  test('verifies the signature, and gets the parameters as they stand in the file', async () => {
    const bodies: URLSearchParams[] = []
    const verified: boolean[] = []
    const origin = await serveOnLoopback(async (request, response) => {
      const body = new Uint8Array(Buffer.concat(await request.toArray()))
      const { rawHeaders: list } = request
      const rawHeaders = list.flatMap((name, index): [string, string][] =>
        index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [],
      )
      const sent = { method: 'POST', target: request.url ?? '', rawHeaders, body }
      const apiKeys = [{ accessKeyId: 'BASE', secretAccessKey: 'secret-of-BASE' }]
      const { ok } = await verifySigV4(sent, { apiKeys, region: 'eu-west-1', service: 'sts' })
      verified.push(ok)
      bodies.push(new URLSearchParams(new TextDecoder().decode(body)))
      response.end(stsKey('ROLE'))
    })
    const world = createWorld()
    world.variables['AWS_ENDPOINT_URL_STS'] = origin
    world.variables['AWS_ENDPOINT_URL'] = 'https://unused.invalid'
    world.write('.aws/config', roleFile.replace('source', 'external_id = a&b +=\nsource'))
    expect((await world.create({ region: 'eu-west-1' })()).sessionToken).toBe('token-of-ROLE')
    expect(verified).toEqual([true])
    expect(Object.fromEntries(bodies[0] ?? [])).toEqual({
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: expect.stringMatching(/^svc-auth-\d+$/),
      ExternalId: 'a&b +=',
    })
  })

  test.each<[region: string, host: string]>([
    ['eu-west-1', 'sts.eu-west-1.amazonaws.com'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['us-iso-east-1', 'sts.us-iso-east-1.c2s.ic.gov'],
    ['us-isob-east-1', 'sts.us-isob-east-1.sc2s.sgov.gov'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('of %s is %s', async (region, host) => {
    const world = createWorld({ fetch: async () => new Response(stsKey('ROLE')) })
    world.write('.aws/config', roleFile)
    await world.create({ region })()
    expect(world.requested).toEqual([`https://${host}/`])
  })

  test.each(['evil.example/', 'eu-west-1.evil.example#', 'a', '@evil.example', 'eu-west-1/../x-1'])(
    'of a region that would be another host (%s) is not asked',
    async (region) => {
      const world = createWorld({ fetch: async () => new Response(stsKey('EVIL')) })
      world.write('.aws/config', `${roleFile}\n[profile default]\nregion = ${region}\n`)
      world.write('.aws/config', roleFile.replace('source_', `region = ${region}\nsource_`))
      expect(await world.problem()).toContain('the region must be a name such as us-east-1')
      expect(world.requested).toEqual([])
    },
  )

  test('elsewhere by http is not asked', async () => {
    const world = createWorld({ fetch: async () => new Response(stsKey('EVIL')) })
    world.variables['AWS_ENDPOINT_URL_STS'] = 'http://sts.example'
    world.write('.aws/config', roleFile)
    expect(await world.problem()).toContain('AWS_ENDPOINT_URL_STS must be an https URL')
    expect(world.requested).toEqual([])
  })

  test('that refuses is an error with its code, without its message', async () => {
    const secret = 'a secret message'
    const world = await service(() => [
      403,
      `<Error><Code>AccessDenied</Code><Message>${secret}</Message></Error>`,
    ])
    world.write('.aws/config', roleFile)
    const problem = await world.problem()
    expect(problem).toContain(`STS refused AssumeRole of ${role}: 403 AccessDenied`)
    expect(problem).not.toMatch(/secret/)
    const rude = await service(() => [400, '<Code>a b\nc</Code>'])
    rude.write('.aws/config', roleFile)
    expect(await rude.problem()).toMatch(/role\/reader: 400$/)
  })

  test('that redirects gets no second request', async () => {
    const reached: string[] = []
    const elsewhere = await serveOnLoopback((request, response) => {
      reached.push(request.url ?? '')
      response.end(stsKey('EVIL'))
    })
    const world = await service(() => [307, '', { location: elsewhere }])
    world.write('.aws/config', roleFile)
    expect(await world.problem()).toContain('role/reader: 307')
    expect(reached).toEqual([])
  })

  test('gives no key that is over already: the error tells both instants', async () => {
    const world = await service(() => [200, stsKey('OVER', Date.parse('2020-01-01T00:00:00Z'))])
    world.write('.aws/config', roleFile)
    expect(await world.problem()).toMatch(
      /profile default: its key expired at 2020-01-01T00:00:00\.000Z; it is \d{4}-.*Z here$/,
    )
  })

  test('gets the token of a web identity anew each time', async () => {
    const tokens: (string | null)[] = []
    const world = await service((_request, body) => {
      tokens.push(new URLSearchParams(body).get('WebIdentityToken'))
      return [200, stsKey('POD')]
    })
    Object.assign(world.variables, { AWS_WEB_IDENTITY_TOKEN_FILE: '~/token', AWS_ROLE_ARN: role })
    const credentials = world.create()
    for (const token of ['first', 'second']) {
      world.write('token', token)
      await credentials()
      world.advance(hourMs)
    }
    expect(tokens).toEqual(['first', 'second'])
    world.write('token', ' \n')
    expect(await world.problem()).toContain('the file with the web identity token is empty')
  })
})

describe('IAM Identity Center', () => {
  const config = `[profile app]\nsso_session = me\nsso_account_id = 1\nsso_role_name = dev\n[sso-session me]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n`
  const path = `.aws/sso/cache/${createHash('sha1').update('me').digest('hex')}.json`
  const client = { clientId: 'c', clientSecret: 'client-secret', refreshToken: 'refresh-1' }
  const token = (accessToken: string, ms: number, more: object = {}): string =>
    JSON.stringify({ accessToken, expiresAt: new Date(Date.now() + ms).toISOString(), ...more })

  /** Starts a portal that renews once for each refresh token. */
  async function portal() {
    const sent: string[] = []
    const world = await service((request, body) => {
      if (request.url === '/token') {
        const { refreshToken } = JSON.parse(body) as { refreshToken: string }
        sent.push(refreshToken)
        if (refreshToken !== `refresh-${sent.length}`) return [400, '{"error":"invalid_grant"}']
        const next = {
          accessToken: `access-${sent.length}`,
          refreshToken: `refresh-${sent.length + 1}`,
        }
        return [200, JSON.stringify({ ...next, expiresIn: 28_800 })]
      }
      const bearer = String(request.headers['x-amz-sso_bearer_token'])
      sent.push(`${request.url} ${bearer}`)
      const roleCredentials = {
        accessKeyId: 'SSO',
        secretAccessKey: 'secret-of-SSO',
        sessionToken: 'token-of-SSO',
        expiration: Date.now() + hourMs,
      }
      return bearer.startsWith('access') ? [200, JSON.stringify({ roleCredentials })] : [401, '{}']
    })
    world.write('.aws/config', config)
    return { world, sent }
  }

  test('renews the token once, and leaves it to the others in the file, for its owner alone', async () => {
    const { world, sent } = await portal()
    world.write(path, token('old', -hourMs, { ...client, region: 'eu-west-1' }))
    const credentials = world.create({ profile: 'app' })
    const keys = await Promise.all(Array.from({ length: 30 }, () => credentials()))
    expect(new Set(keys.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['SSO']))
    const portalRequest = '/federation/credentials?role_name=dev&account_id=1 access-1'
    expect(sent).toEqual(['refresh-1', portalRequest])
    const file = join(world.home, path)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...client,
      region: 'eu-west-1',
      accessToken: 'access-1',
      refreshToken: 'refresh-2',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(file, '..'))).toHaveLength(1)
    await world.create({ profile: 'app' })()
    expect(sent).toEqual(['refresh-1', portalRequest, portalRequest])
  })

  test('gives the key although the token cannot be written', async () => {
    const { world } = await portal()
    world.write(path, token('old', -hourMs, client))
    const replaceFile = (): Promise<void> => Promise.reject(new Error('EROFS'))
    Object.assign(world.outside, { replaceFile })
    expect((await world.create({ profile: 'app' })()).accessKeyId).toBe('SSO')
  })

  test('takes the token that another process has renewed meanwhile', async () => {
    const { world } = await portal()
    world.write(path, token('old', -hourMs, { ...client, refreshToken: 'used' }))
    const { fetch: send } = world.outside
    Object.assign(world.outside, {
      fetch: (input: URL, init?: RequestInit) => {
        if (input.href.endsWith('/token')) world.write(path, token('access-9', hourMs, client))
        return send(input, init)
      },
    })
    expect((await world.create({ profile: 'app' })()).accessKeyId).toBe('SSO')
  })

  test.each<[what: string, file: string | undefined, problem: string]>([
    ['nobody is signed in', undefined, 'nobody is signed in'],
    ['the token is over', token('access', -hourMs), 'the session expired at '],
    ['the token is refused', token('revoked', hourMs), 'the session is over'],
    ['the file is rubbish', 'rubbish', 'nobody is signed in'],
    ['the token is no header', token('a\r\nb', hourMs), 'nobody is signed in'],
    ['the end is no date', '{"accessToken":"a","expiresAt":"soon"}', 'nobody is signed in'],
  ])('names the command where %s', async (_what, file, problem) => {
    const { world } = await portal()
    if (file !== undefined) world.write(path, file)
    const message = await world.problem({ profile: 'app' })
    expect(message).toContain(problem)
    expect(message).toContain('run aws sso login --profile app')
    expect(message).not.toMatch(/client-secret|refresh-|revoked/)
  })

  test('is asked in the partition of its region', async () => {
    const world = createWorld({ fetch: async () => new Response('{}', { status: 401 }) })
    world.write('.aws/config', config.replace('eu-west-1', 'cn-north-1'))
    world.write(path, token('access', hourMs))
    await world.problem({ profile: 'app' })
    expect(world.requested.map((url) => new URL(url).host)).toEqual([
      'portal.sso.cn-north-1.amazonaws.com.cn',
    ])
  })
})

test('a file of a login that is incomplete is an error, and names no secret', async () => {
  const world = createWorld()
  world.write('.aws/config', '[default]\nlogin_session = me\n')
  const name = createHash('sha256').update('me').digest('hex')
  world.write(`.aws/login/cache/${name}.json`, '{"accessToken":{"accessKeyId":"secret-id"}}')
  const problem = await world.problem()
  expect(problem).toContain('the file of the login responded without expiresAt')
  expect(problem).not.toContain('secret-id')
})

test('a file that nobody may read is a reason to go on, and told', async () => {
  const world = createWorld()
  world.write('.aws/config', roleFile)
  const file = join(world.home, '.aws/config')
  chmodSync(file, 0)
  const { readFile } = world.outside
  // The superuser may read everything.
  Object.assign(world.outside, {
    readFile: (path: string) =>
      path === file
        ? Promise.reject(Object.assign(new Error(), { code: 'EACCES' }))
        : readFile(path),
  })
  world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
  const problem = await world.problem()
  expect(problem).toContain(`${file} cannot be read (EACCES)`)
  expect(problem).toContain('instance metadata: AWS_EC2_METADATA_DISABLED is set')
  writeFileSync(file, '')
})

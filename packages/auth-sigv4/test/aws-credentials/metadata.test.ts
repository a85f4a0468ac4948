import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createWorld, metadataKey, profileLines, type World } from '../support/aws-world.ts'
import { serveOnLoopback } from '../support/loopback.ts'

const roles = '/latest/meta-data/iam/security-credentials/'

/** Starts a metadata service that responds by its path, and a world that asks it. */
async function machine(
  routes: Readonly<Record<string, RequestListener>>,
  changes: Parameters<typeof createWorld>[0] = {},
): Promise<World> {
  const origin = await serveOnLoopback((request, response) => {
    const route = routes[request.url ?? '']
    if (route) route(request, response)
    else response.writeHead(404).end()
  })
  const world = createWorld(changes)
  world.variables['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = origin
  return world
}

const text =
  (body: string): RequestListener =>
  (_request, response) =>
    response.end(body)

const good = {
  '/latest/api/token': text('a-token'),
  [roles]: text('reader\n'),
  [`${roles}reader`]: text(metadataKey('MACHINE')),
}

describe('the machine', () => {
  test('is asked with a token of version 2, and no other header of ours', async () => {
    const seen: string[] = []
    const log =
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const { method, url, headers } = request
        const own = Object.entries(headers).filter(([name]) => name.startsWith('x-aws'))
        seen.push(`${method} ${url} ${own.join()}`)
        listener(request, response)
      }
    const routes = Object.entries(good).map(([path, listener]) => [path, log(listener)])
    const world = await machine(Object.fromEntries(routes))
    expect(await world.create()()).toMatchObject({ accessKeyId: 'MACHINE' })
    expect(seen).toEqual([
      'PUT /latest/api/token x-aws-ec2-metadata-token-ttl-seconds,21600',
      `GET ${roles} x-aws-ec2-metadata-token,a-token`,
      `GET ${roles}reader x-aws-ec2-metadata-token,a-token`,
    ])
  })

  test.each([403, 404, 405, 500])(
    'with version 1 alone (%i) is not asked by it',
    async (status) => {
      const refuse: RequestListener = (_request, response) => response.writeHead(status).end()
      const world = await machine({ ...good, '/latest/api/token': refuse })
      const problem = await world.problem()
      expect(problem).toContain(`responded to PUT /latest/api/token with ${status}`)
      expect(problem).toContain('must be enabled in version 2')
      expect(world.requested).toHaveLength(1)
    },
  )

  test('that hangs is left after its deadline, which names the hop limit', async () => {
    let overdue = (): void => {}
    const deadline = (ms: number): AbortSignal => {
      expect(ms).toBe(1000)
      const controller = new AbortController()
      overdue = () => controller.abort()
      return controller.signal
    }
    const world = await machine({ ...good, '/latest/api/token': () => overdue() }, { deadline })
    const problem = await world.problem()
    expect(problem).toContain('did not respond within 1000 ms; on EC2')
    expect(problem).toContain('hop limit of 2')
  })

  test('that hangs within a body is left after its deadline', async () => {
    let overdue = (): void => {}
    const deadline = (): AbortSignal => {
      const controller = new AbortController()
      overdue = () => controller.abort()
      return controller.signal
    }
    const half: RequestListener = (_request, response) => {
      response.write('{', () => overdue())
    }
    const world = await machine({ ...good, [`${roles}reader`]: half }, { deadline })
    expect(await world.problem()).toContain('did not respond within 1000 ms')
  })

  test('that redirects sends nobody anywhere', async () => {
    const reached: string[] = []
    const elsewhere = await serveOnLoopback((request, response) => {
      reached.push(request.url ?? '')
      response.end('a-token')
    })
    const redirect: RequestListener = (request, response) =>
      response.writeHead(307, { location: elsewhere + request.url }).end()
    const early = await machine({ ...good, '/latest/api/token': redirect })
    expect(await early.problem()).toContain('with 307')
    const late = await machine({ ...good, [`${roles}reader`]: redirect })
    expect(await late.problem()).toContain('with 307')
    expect(reached).toEqual([])
  })

  test.each<[what: string, path: string, body: string, problem: string]>([
    ['a role that is a path', roles, '../../user-data', 'responded with no role'],
    ['no role', roles, '', 'responded with no role'],
    ['a page', roles, '<html> </html>', 'responded with no role'],
    ['a token of two lines', '/latest/api/token', 'a\r\nb: c', 'responded with no token'],
    ['rubbish', `${roles}reader`, 'rubbish', 'responded without Expiration'],
    ['an array', `${roles}reader`, '[]', 'responded without Expiration'],
    [
      'an end that is no date',
      `${roles}reader`,
      '{"Expiration":"soon"}',
      'Expiration that is no date',
    ],
    [
      'no secret',
      `${roles}reader`,
      metadataKey('X').replace('Secret', ''),
      'without SecretAccessKey',
    ],
    ['too much', `${roles}reader`, 'x'.repeat(300_000), 'responded with more than 262144 bytes'],
  ])('that responds with %s gives no key', async (_what, path, body, problem) => {
    const world = await machine({ ...good, [path]: text(body) })
    const message = await world.problem()
    expect(message).toContain(problem)
    expect(message).not.toMatch(/secret-of|token-of|a-token/)
  })

  test('whose key is over may still be used for a while: its service may be away', async () => {
    const world = await machine({
      ...good,
      [`${roles}reader`]: text(metadataKey('OLD', Date.now() - 60_000)),
    })
    const { accessKeyId, expiresAt = 0 } = await world.create()()
    expect(accessKeyId).toBe('OLD')
    expect(expiresAt).toBeGreaterThan(Date.now() + 9 * 60_000)
  })

  test('is not asked if anything before it has a key, or says that it must not', async () => {
    const world = await machine(good)
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    expect(await world.problem()).toContain('AWS_EC2_METADATA_DISABLED is set')
    delete world.variables['AWS_EC2_METADATA_DISABLED']
    world.write('.aws/credentials', `[default]\n${profileLines('FILE')}`)
    expect((await world.create()()).accessKeyId).toBe('FILE')
    world.write('.aws/credentials', '[default]\naws_access_key_id = X\n')
    expect(await world.problem()).toContain('aws_secret_access_key is missing')
    expect(world.requested).toEqual([])
  })

  test.each<[variables: Record<string, string>, origin: string]>([
    [{}, 'http://169.254.169.254'],
    [{ AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' }, 'http://[fd00:ec2::254]'],
  ])('has its address by %o', async (variables, origin) => {
    const world = createWorld({ fetch: async () => new Response(null, { status: 404 }) })
    Object.assign(world.variables, variables)
    await world.problem()
    expect(world.requested).toEqual([`${origin}/latest/api/token`])
  })
})

describe('the container', () => {
  test('is asked at the address of ECS alone, by a path', async () => {
    const world = createWorld({ fetch: async () => new Response(metadataKey('TASK')) })
    world.variables['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] = '/v2/credentials/1?x=y'
    expect((await world.create()()).accessKeyId).toBe('TASK')
    expect(world.requested).toEqual(['http://169.254.170.2/v2/credentials/1?x=y'])
  })

  test.each([
    '@evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '.evil.example/',
    ':80@evil.example',
  ])('is not asked at %s', async (path) => {
    const world = createWorld({ fetch: async () => new Response(metadataKey('EVIL')) })
    world.variables['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] = path
    expect(await world.problem()).toContain('must begin with one slash')
    expect(world.requested).toEqual([])
  })

  test.each<[uri: string, isTaken: boolean]>([
    ['http://169.254.170.2/a', true],
    ['http://169.254.170.23/v1/credentials', true],
    ['http://[fd00:ec2::23]/v1/credentials', true],
    ['http://localhost:80/a', true],
    ['http://127.0.0.9/a', true],
    ['http://[::1]/a', true],
    ['https://keys.example/a', true],
    ['http://keys.example/a', false],
    ['http://169.254.169.254/a', false],
    ['http://169.254.170.2.evil.example/a', false],
    ['http://127.0.0.1.evil.example/a', false],
    ['http://me:secret@localhost/a', false],
    ['ftp://localhost/a', false],
    ['localhost/a', false],
  ])('at %s is asked: %s', async (uri, isTaken) => {
    const world = createWorld({ fetch: async () => new Response(metadataKey('TASK')) })
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = uri
    world.variables['AWS_CONTAINER_AUTHORIZATION_TOKEN'] = 'a-token'
    const problem = await world.problem()
    expect(problem.startsWith('found TASK')).toBe(isTaken)
    expect(problem).not.toContain('secret')
    expect(world.requested).toHaveLength(isTaken ? 1 : 0)
  })

  test('that redirects does not get the token to another host', async () => {
    const reached: (string | undefined)[] = []
    const elsewhere = await serveOnLoopback((request, response) => {
      reached.push(request.headers.authorization)
      response.end(metadataKey('EVIL'))
    })
    const origin = await serveOnLoopback((_request, response) =>
      response.writeHead(302, { location: elsewhere }).end(),
    )
    const world = createWorld()
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${origin}/a`
    world.variables['AWS_CONTAINER_AUTHORIZATION_TOKEN'] = 'a-token'
    expect(await world.problem()).toContain('responded with 302')
    expect(reached).toEqual([])
  })

  test.each(['a\nb', 'a\r\nx-other: 1', 'ü'])(
    'gets no token that is no header: %j',
    async (token) => {
      const world = createWorld({ fetch: async () => new Response(metadataKey('TASK')) })
      world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://localhost/a'
      world.variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] = '~/token'
      world.write('token', token)
      const problem = await world.problem()
      expect(problem).toContain('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE has no token')
      expect(problem).not.toContain(token)
      expect(world.requested).toEqual([])
    },
  )

  test('is asked again for a 500 and a broken connection, three times in all', async () => {
    let count = 0
    const origin = await serveOnLoopback((request, response) => {
      count += 1
      if (count === 1) response.writeHead(500).end()
      else if (count === 2) request.destroy()
      else response.end(metadataKey('TASK'))
    })
    const world = createWorld()
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = `${origin}/a`
    expect((await world.create()()).accessKeyId).toBe('TASK')
    expect(count).toBe(3)
  })

  test('that is not there is an error that names it and the code', async () => {
    const world = createWorld()
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://127.0.0.1:1/a'
    expect(await world.problem()).toMatch(
      /endpoint of the container \(127\.0\.0\.1:1\) cannot be reached/,
    )
  })
})

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWorld, profileLines } from '../support/aws-world.ts'
import { createInPage } from '../testing.ts'

describe('the shared files', () => {
  test.each<[what: string, content: string | Uint8Array]>([
    ['UTF-16 with a mark', Buffer.from(`\uFEFF[default]\n${profileLines('FILE')}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(`[default]\n${profileLines('FILE')}`, 'utf16le')],
    ['Latin-1', Buffer.from(`[default]\n# für mich\n${profileLines('FILE')}`, 'latin1')],
    ['bytes at random', new Uint8Array(2000).map((_byte, index) => (index * 7919) % 251)],
  ])('in %s are an error that says so', async (_what, content) => {
    const world = createWorld()
    world.write('.aws/credentials', content)
    const path = join(world.home, '.aws/credentials')
    expect(await world.problem()).toMatch(new RegExp(`default: ${path} is not text in UTF-8$`))
    await expect(world.create().region()).rejects.toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
    expect(world.requested).toEqual([])
  })

  test('of 5 MB are read in time', async () => {
    const world = createWorld()
    const section = (index: number): string =>
      `[profile p${index}]\n${profileLines(`KEY${index}`)}# ${' '.repeat(430)}\n`
    const many = Array.from({ length: 10_000 }, (_none, index) => section(index)).join('')
    expect(many.length).toBeGreaterThan(5_000_000)
    world.write('.aws/config', many)
    const start = performance.now()
    expect((await world.create({ profile: 'p9999' })()).accessKeyId).toBe('KEY9999')
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test.each<[what: string, line: string]>([
    ['blanks', ' '.repeat(5_000_000)],
    ['brackets', '['.repeat(5_000_000)],
    ['an open quote', `[profile "${'x'.repeat(5_000_000)}]`],
    ['words', `[profile ${'a '.repeat(2_500_000)}]`],
    ['a value of blanks and hashes', `a = ${' x#'.repeat(1_600_000)}`],
  ])('with a line of 5 MB of %s are read in time', async (_what, line) => {
    const world = createWorld()
    world.write('.aws/config', `[profile app]\n${profileLines('APP')}${line}\n`)
    const start = performance.now()
    expect((await world.create({ profile: 'app' })()).accessKeyId).toBe('APP')
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test('larger than 16 MiB are not read', async () => {
    const world = createWorld()
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    world.write('.aws/config', new Uint8Array(16 * 1024 * 1024 + 1).fill(35))
    expect(await world.problem()).toContain('config cannot be read (EFBIG)')
  })

  test('that are folders are an error that says so', async () => {
    const world = createWorld()
    world.variables['AWS_EC2_METADATA_DISABLED'] = 'true'
    mkdirSync(join(world.home, '.aws/config'), { recursive: true })
    expect(await world.problem()).toContain('config cannot be read (EISDIR)')
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'may have a profile named %s, and have none by that name otherwise',
    async (name) => {
      const world = createWorld()
      const problem = await world.problem({ profile: name })
      expect(problem).toContain('neither the config file nor the credentials file has it')
      world.write('.aws/config', `[profile ${name}]\n${profileLines('ODD')}`)
      expect((await world.create({ profile: name })()).accessKeyId).toBe('ODD')
      world.write('.aws/config', `[profile x]\nrole_arn = r\ncredential_source = ${name}\n`)
      expect(await world.problem({ profile: 'x' })).toContain('credential_source must be one of')
    },
  )

  test('with 300 profiles in a row give the key of the last, or say that they turn in a circle', async () => {
    const world = createWorld({ fetch: async () => new Response('', { status: 403 }) })
    const link = (index: number): string =>
      `[profile p${index}]\nrole_arn = arn:aws:iam::0:role/r${index}\nsource_profile = p${index + 1}\n`
    const links = Array.from({ length: 300 }, (_none, index) => link(index)).join('')
    world.write('.aws/config', `${links}[profile p300]\n${profileLines('LAST')}`)
    expect(await world.problem({ profile: 'p0' })).toContain('STS refused AssumeRole')
    world.write('.aws/config', links.replace('= p300', '= p7'))
    expect(await world.problem({ profile: 'p0' })).toContain('leads in a circle')
  })

  test('without a key that can be sent are an error that does not show it', async () => {
    const world = createWorld()
    world.write(
      '.aws/credentials',
      '[default]\naws_access_key_id = A\naws_secret_access_key = sec ret\n',
    )
    const problem = await world.problem()
    expect(problem).toContain('credentials.secretAccessKey must be a non-empty string of visible')
    expect(problem).not.toContain('sec ret')
  })
})

describe('a function of awsCredentials', () => {
  test('keeps a key without an end for 5 minutes, then reads the files anew', async () => {
    const world = createWorld()
    world.write('.aws/credentials', `[default]\n${profileLines('FIRST')}`)
    const credentials = world.create()
    expect((await credentials()).accessKeyId).toBe('FIRST')
    world.write('.aws/credentials', `[default]\n${profileLines('SECOND')}`)
    world.advance(5 * 60_000 - 1000)
    expect((await credentials()).accessKeyId).toBe('FIRST')
    world.advance(1001)
    expect((await credentials()).accessKeyId).toBe('SECOND')
  })

  test('is none in a page: a typed error says what to pass', () => {
    expect(() => createInPage({})).toThrow(
      expect.objectContaining({
        code: 'ERR_AUTH_CREDENTIALS',
        message: expect.stringMatching(
          /awsCredentials: it runs on Node, Bun and Deno; pass credentials/,
        ),
      }),
    )
  })

  test('hands out copies', async () => {
    const world = createWorld()
    world.write('.aws/credentials', `[default]\n${profileLines('KEY')}`)
    const credentials = world.create()
    Object.assign(await credentials(), { accessKeyId: 'CHANGED' })
    expect((await credentials()).accessKeyId).toBe('KEY')
    expect(Object.isFrozen(credentials)).toBe(true)
  })

  test('keeps the old key while it is valid and its source is away', async () => {
    let isAway = false
    let count = 0
    const hourMs = 3_600_000
    const world = createWorld({
      fetch: async () => {
        count += 1
        if (isAway) return new Response(null, { status: 403 })
        const end = new Date(Date.now() + hourMs).toISOString()
        const key = { AccessKeyId: 'A', SecretAccessKey: 'b', Token: 'c', Expiration: end }
        return Response.json(key)
      },
    })
    world.variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://localhost/a'
    const credentials = world.create()
    expect((await credentials()).expiration).toBeInstanceOf(Date)
    isAway = true
    world.advance(hourMs - 5 * 60_000 - 1000)
    await credentials()
    expect(count).toBe(1)
    world.advance(2000)
    expect((await credentials()).accessKeyId).toBe('A')
    await credentials()
    expect(count).toBe(2)
    world.advance(30_000)
    await credentials()
    expect(count).toBe(3)
    world.advance(5 * 60_000)
    await expect(credentials()).rejects.toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
  })

  test.each<
    [variables: Record<string, string>, region: string | undefined, told: string | undefined]
  >([
    [{}, undefined, 'eu-west-3'],
    [{ AWS_DEFAULT_REGION: 'eu-west-2' }, undefined, 'eu-west-2'],
    [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' }, undefined, 'eu-west-1'],
    [{ AWS_REGION: 'eu-west-1' }, 'us-west-1', 'us-west-1'],
    [{ AWS_PROFILE: 'none' }, undefined, undefined],
  ])('tells the region by %o and %s', async (variables, region, told) => {
    const world = createWorld()
    Object.assign(world.variables, variables)
    world.write('.aws/config', '[default]\nregion = eu-west-3\n')
    expect(await world.create({ region }).region()).toBe(told)
  })
})

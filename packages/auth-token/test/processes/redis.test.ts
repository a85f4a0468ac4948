import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient, createClientPool, createCluster, RESP_TYPES } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis5'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type IoredisClient,
  type NodeRedisClient,
  redisTokenStore,
} from '@svc/auth-token/redis-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import type { TokenStore } from '@svc/auth-token'
import {
  freePort,
  hasRedisServer,
  type RedisServer,
  startRedis,
} from '../../../../tests/support/redis-server.ts'

interface Connection {
  readonly client: NodeRedisClient | IoredisClient
  readonly close: () => unknown
}

type Connect = (url: string) => Promise<Connection>

const caller = '[@svc/auth-token] redisTokenStore'

// A client that is told to retry soon shows within a test that it comes back.
const retryMs = 20

// Made anew each time, since node-redis writes the host and the port of its URL into it.
const socket = () => ({ reconnectStrategy: () => retryMs })
const retry = { retryStrategy: () => retryMs }
const ignore = (): void => {}

const clients = {
  async 'node-redis 4'(url: string) {
    const client = createClient4({ url, socket: socket() }).on('error', ignore)
    await client.connect()
    return { client, close: () => client.disconnect() }
  },
  async 'node-redis 5'(url: string) {
    const client = createClient5({ url, socket: socket() }).on('error', ignore)
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'node-redis 6'(url: string) {
    const client = createClient({ url, socket: socket() }).on('error', ignore)
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'ioredis 5'(url: string) {
    const client = new Redis5(url, retry).on('error', ignore)
    await client.ping()
    return { client, close: () => client.disconnect() }
  },
  async 'ioredis 6'(url: string) {
    const client = new Redis(url, retry).on('error', ignore)
    await client.ping()
    return { client, close: () => client.disconnect() }
  },
} satisfies Readonly<Record<string, Connect>>

const settings: Readonly<Record<string, Connect>> = {
  async 'node-redis 5 with RESP 3'(url) {
    const client = createClient5({ url, RESP: 3 })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'node-redis 6 with RESP 2'(url) {
    const client = createClient({ url, RESP: 2 })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'node-redis 6 with RESP 3'(url) {
    const client = createClient({ url, RESP: 3 })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'node-redis 6 that gives bytes'(url) {
    const client = createClient({ url })
    await client.connect()
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String }
    return { client: client.withTypeMapping(typeMapping), close: () => client.destroy() }
  },
  async 'a pool of node-redis 6'(url) {
    const client = createClientPool({ url })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'ioredis 5 with numbers as strings'(url) {
    const client = new Redis5(url, { stringNumbers: true })
    return { client, close: () => client.disconnect() }
  },
  async 'ioredis 6 with numbers as strings'(url) {
    const client = new Redis(url, { stringNumbers: true })
    return { client, close: () => client.disconnect() }
  },
  async 'ioredis 6 with RESP 2'(url) {
    const client = new Redis(url, { protocol: 2 })
    return { client, close: () => client.disconnect() }
  },
  async 'ioredis 6 with a prefix of its own and pipelines'(url) {
    const client = new Redis(url, { keyPrefix: 'app:', enableAutoPipelining: true })
    return { client, close: () => client.disconnect() }
  },
}

const clusters: Readonly<Record<string, Connect>> = {
  async 'node-redis 4'(url) {
    const client = createCluster4({ rootNodes: [{ url }] })
    await client.connect()
    return { client, close: () => client.disconnect() }
  },
  async 'node-redis 5'(url) {
    const client = createCluster5({ rootNodes: [{ url }] })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'node-redis 6'(url) {
    const client = createCluster({ rootNodes: [{ url }] })
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  async 'ioredis 5'(url) {
    const client = new Cluster5([url])
    return { client, close: () => client.disconnect() }
  },
  async 'ioredis 6'(url) {
    const client = new Cluster([url])
    return { client, close: () => client.disconnect() }
  },
}

const day = 24 * 60 * 60 * 1000
const record = { generation: 1, sealed: 'one' }

/** The checks over two connections, each of which has a store. */
function conform(connects: readonly [Connect, Connect], url: () => string): void {
  const connections: Connection[] = []
  const stores: TokenStore[] = []
  beforeAll(async () => {
    for (const connect of connects) {
      const connection = await connect(url())
      connections.push(connection)
      stores.push(redisTokenStore(connection.client))
    }
  })
  afterAll(() => Promise.all(connections.map((connection) => connection.close())))

  let opened = 0
  const checks = tokenStoreConformance(() => {
    const store = stores[opened++ % 2]
    if (store) return store
    throw new Error('not connected')
  })
  test.each(checks)('$name', async (check) => {
    await expect(check.run()).resolves.toBeUndefined()
  })
}

/** Locks, writes and reads, as a session does. */
async function writeOne(store: TokenStore, key: string) {
  const fencingToken = (await store.lock(key, { owner: 'one', ttlMs: day })) ?? NaN
  const isWritten = await store.compareAndSwap(key, record, { fencingToken, ttlMs: day })
  return { fencingToken, isWritten, came: await store.get(key) }
}

describe.skipIf(!hasRedisServer())('a token store in Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis?.disconnect()
    await server?.stop()
  })
  const url = (): string => server.url

  for (const [name, connect] of Object.entries(clients)) {
    describe(`over ${name}`, () => {
      conform([connect, connect], url)
    })
  }
  describe('over node-redis and ioredis at once', () => {
    conform([clients['node-redis 6'], clients['ioredis 6']], url)
  })

  describe('whatever a client makes of replies', () => {
    test.for(Object.entries(settings))('works over %s', async ([name, connect]) => {
      const { client, close } = await connect(server.url)
      onTestFinished(() => void close())
      const store = redisTokenStore(client)
      const key = name.replaceAll(/\W/g, '-')
      const first = await writeOne(store, key)
      expect(first).toEqual({ fencingToken: 1, isWritten: true, came: record })
      expect(await store.lock(key, { owner: 'other', ttlMs: day })).toBeUndefined()
      await store.unlock(key, 'one')
      expect(await store.lock(key, { owner: 'other', ttlMs: day })).toBe(2)
      expect(await store.compareAndSwap(key, record, { fencingToken: 2, ttlMs: day })).toBe(false)
      expect(await store.get(`${key}-other`)).toBeUndefined()
    })

    test.for([undefined, null, 1, 'QUEUED', { toString: () => '1' }, true])(
      'refuses %o',
      async (reply) => {
        const store = redisTokenStore({ EVAL: async () => reply })
        const complaint = 'the Redis client did not return the reply of the script'
        await expect(store.get('key')).rejects.toThrow(complaint)
        const write = { fencingToken: 1, ttlMs: 1 }
        await expect(store.compareAndSwap('key', record, write)).rejects.toThrow(complaint)
        await expect(store.lock('key', { owner: 'one', ttlMs: 1 })).rejects.toThrow(complaint)
        await expect(store.unlock('key', 'one')).rejects.toThrow(complaint)
      },
    )

    test('passes its rejections on', async () => {
      const failure = new Error('closed')
      const fail = () => Promise.reject(failure)
      for (const client of [{ EVAL: fail }, { call: fail, eval: fail }]) {
        const store = redisTokenStore(client)
        const write = { fencingToken: 1, ttlMs: 1 }
        await expect(store.get('key')).rejects.toBe(failure)
        await expect(store.compareAndSwap('key', record, write)).rejects.toBe(failure)
        await expect(store.lock('key', { owner: 'one', ttlMs: 1 })).rejects.toBe(failure)
        await expect(store.unlock('key', 'one')).rejects.toBe(failure)
      }
    })
  })

  test('reads and writes generations as exact numbers', async () => {
    const name = 'svc-auth:{exact}'
    const store = redisTokenStore(redis)
    await redis.set(`${name}:record`, '999999999999998:one')
    expect(await store.get('exact')).toEqual({ generation: 999_999_999_999_998, sealed: 'one' })
    const next = { generation: 999_999_999_999_999, sealed: 'next' }
    expect(await store.compareAndSwap('exact', next, { fencingToken: 1, ttlMs: day })).toBe(true)
    expect(await store.get('exact')).toEqual(next)
    await redis.set(`${name}:fence`, '99999999999999')
    expect(await store.lock('exact', { owner: 'one', ttlMs: day })).toBe(100_000_000_000_000)
  })

  test('that holds a record of another program is one that fails', async () => {
    await redis.set('svc-auth:{other}:record', '{"generation":1}')
    await expect(redisTokenStore(redis).get('other')).rejects.toThrow('did not return the reply')
  })

  describe('and its keys', () => {
    beforeEach(() => redis.flushall())

    test('all begin with the prefix and have the key as their hash tag', async () => {
      await writeOne(redisTokenStore(redis), 'key')
      await writeOne(redisTokenStore(redis, { prefix: 'a:b:' }), 'key')
      await writeOne(redisTokenStore(redis, { prefix: '' }), 'key')
      const namesOf = (prefix: string): string[] =>
        ['record', 'lock', 'fence'].map((name) => `${prefix}{key}:${name}`)
      const expected = ['svc-auth:', 'a:b:', ''].flatMap(namesOf)
      expect((await redis.keys('*')).sort()).toEqual(expected.sort())
    })

    test('keep apart by their prefix', async () => {
      const [store, other] = ['a:', 'b:'].map((prefix) => redisTokenStore(redis, { prefix }))
      if (!store || !other) throw new Error('two stores')
      await writeOne(store, 'key')
      expect(await other.get('key')).toBeUndefined()
      expect(await other.lock('key', { owner: 'other', ttlMs: day })).toBe(1)
    })

    test('all expire, the fence a month after the latest lock', async () => {
      const store = redisTokenStore(redis)
      await writeOne(store, 'key')
      await redis.persist('svc-auth:{key}:fence')
      await store.lock('key', { owner: 'one', ttlMs: 1000 })
      await writeOne(store, 'other')
      await store.unlock('other', 'one')
      const ttlsMs = new Map<string, number>()
      for (const name of await redis.keys('*')) ttlsMs.set(name, await redis.pttl(name))
      expect(ttlsMs.size).toBe(5)
      for (const ttlMs of ttlsMs.values()) expect(ttlMs).toBeGreaterThan(0)
      expect(ttlsMs.get('svc-auth:{key}:lock')).toBeLessThanOrEqual(1000)
      expect(ttlsMs.get('svc-auth:{key}:record')).toBeGreaterThan(day - 10_000)
      expect(ttlsMs.get('svc-auth:{key}:fence')).toBeGreaterThan(30 * day - 10_000)
    })

    test.for([
      [0.2, 1],
      [0, 1],
      [-5, 1],
      [2999.5, 3000],
      [Number.MAX_VALUE, 36_500 * day],
      [Infinity, 36_500 * day],
    ] as const)('take a lifetime of %d ms', async ([ttlMs, expectedMs]) => {
      const calls: string[][] = []
      const client = {
        call: () => Promise.reject(new Error('not used')),
        eval(script: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
          calls.push(rest.slice(numberOfKeys))
          return redis.eval(script, numberOfKeys, ...rest)
        },
      }
      const store = redisTokenStore(client)
      expect(await store.lock('key', { owner: 'one', ttlMs })).toBe(1)
      expect(await store.compareAndSwap('key', record, { fencingToken: 1, ttlMs })).toBe(true)
      expect(calls[0]?.[1]).toBe(`${expectedMs}`)
      expect(calls[1]?.[3]).toBe(`${expectedMs}`)
    })

    test('do not take a lifetime that is no number', async () => {
      const store = redisTokenStore(redis)
      await expect(store.lock('key', { owner: 'one', ttlMs: NaN })).rejects.toThrow(
        'not an integer',
      )
      expect(await redis.keys('*')).toEqual([])
    })
  })

  describe('that stops and starts again', () => {
    test.concurrent.for(Object.entries(clients))(
      'is used again by %s',
      async ([, connect], context) => {
        const before = await startRedis()
        context.onTestFinished(() => before.stop())
        const connection = await connect(before.url)
        context.onTestFinished(() => void connection.close())
        const store = redisTokenStore(connection.client)
        await writeOne(store, 'key')

        const dying = Promise.allSettled([store.get('key')])
        await before.stop()
        const lock = { owner: 'two', ttlMs: day }
        const whileDown = Promise.allSettled([store.get('key'), store.lock('key', lock)])
        await new Promise((resolve) => setTimeout(resolve, 3 * retryMs))

        const after = await startRedis({ port: before.port })
        context.onTestFinished(() => after.stop())
        await vi.waitFor(async () => expect(await store.get('another')).toBeUndefined(), 30_000)
        // Whichever way the client ends them, none is left open.
        await Promise.all([dying, whileDown])
        const again = await writeOne(store, 'another')
        expect(again).toEqual({ fencingToken: 1, isWritten: true, came: record })
      },
    )

    test.for(Object.entries(clients))('rejects once %s is closed', async ([, connect]) => {
      const connection = await connect(server.url)
      const store = redisTokenStore(connection.client)
      await connection.close()
      await expect(store.get('key')).rejects.toThrow(/closed|connection/i)
    })
  })

  describe('in cluster mode', () => {
    let cluster: RedisServer
    beforeAll(async () => {
      const busPort = `${await freePort()}`
      const announce = ['--cluster-announce-ip', '127.0.0.1']
      cluster = await startRedis({
        args: ['--cluster-enabled', 'yes', '--cluster-port', busPort, ...announce],
      })
      const node = new Redis(cluster.url)
      await node.cluster('ADDSLOTSRANGE', 0, 16_383)
      const isUp = async () => expect(await node.cluster('INFO')).toContain('cluster_state:ok')
      await vi.waitFor(isUp, { timeout: 30_000, interval: 20 })
      node.disconnect()
    })
    afterAll(() => cluster?.stop())

    test.for(Object.entries(clusters))(
      'keeps what is of one key on one node for %s',
      async ([name, connect]) => {
        const { client, close } = await connect(cluster.url)
        onTestFinished(() => void close())
        const store = redisTokenStore(client)
        for (let n = 0; n < 20; n += 1) {
          const key = `${name.replaceAll(/\W/g, '-')}-${n}`
          const came = await writeOne(store, key)
          expect(came).toEqual({ fencingToken: 1, isWritten: true, came: record })
          await store.unlock(key, 'one')
          expect(await store.lock(key, { owner: 'other', ttlMs: day })).toBe(2)
        }
      },
    )
  })
})

describe('a token store in Redis', () => {
  test.for([
    undefined,
    null,
    'redis://127.0.0.1:6379',
    () => '',
    {},
    { eval: async (): Promise<string> => '' },
    { call: () => '' },
    { call: '', eval: async (): Promise<string> => '' },
    { EVAL: '' },
  ])('refuses a client of %o', (client) => {
    const wrong = `${caller}: client must be a node-redis or ioredis client`
    // @ts-expect-error -- callers without types
    expect(() => redisTokenStore(client)).toThrow(new TypeError(wrong))
  })

  test.for([1, null, {}, '{', 'a}', '{a}:'])('refuses a prefix of %o', (prefix) => {
    const client = { EVAL: async () => '' }
    // @ts-expect-error -- callers without types
    expect(() => redisTokenStore(client, { prefix })).toThrow(
      `${caller}: prefix must be a string without`,
    )
  })

  test.for([null, 'a:'])('refuses options of %o', (options) => {
    const client = { EVAL: async () => '' }
    // @ts-expect-error -- callers without types
    expect(() => redisTokenStore(client, options)).toThrow(
      new TypeError(`${caller}: options must be an object with any of prefix`),
    )
  })
})

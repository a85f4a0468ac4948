/**
 * Shares one token among many hosts, in Redis. Uses the client that your program has, and imports none.
 *
 * @module @svc/auth-token/redis-store
 */
import { check, checkOptions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../sharing/sharing.ts'
import type { SharedTokenStore } from '../token.ts'

/**
 * The part that is used of a node-redis client, version 4, 5 or 6: for one server, a cluster, a sentinel or
 * a pool. In version 4, without `legacyMode`.
 *
 * @see https://github.com/redis/node-redis
 */
export interface NodeRedisClient {
  /** Runs a script in Redis. */
  EVAL(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/**
 * The part that is used of an ioredis client, version 5 or 6: for one server, a cluster or a sentinel.
 *
 * @see https://github.com/redis/ioredis
 */
export interface IoredisClient {
  /** Never called; it distinguishes ioredis from other clients that have `eval`. */
  call(command: string): Promise<unknown>
  /** Runs a script in Redis. */
  eval(script: string, numberOfKeys: number, ...keysAndValues: string[]): Promise<unknown>
}

/** Options of {@link redisTokenStore}. */
export interface RedisTokenStoreOptions {
  /**
   * The prefix of all keys in Redis; it cannot contain `{` or `}`.
   *
   * @default `'svc-auth:'`
   */
  prefix?: string | undefined
}

type Evaluate = (script: string, keys: string[], values: string[]) => Promise<unknown>

const caller = '[@svc/auth-token] redisTokenStore'
const fenceTtlMs = 30 * 24 * 60 * 60 * 1000
const longestTtlMs = 100 * 365 * 24 * 60 * 60 * 1000

const prelude = `
local record, lock, fence = KEYS[1], KEYS[2], KEYS[3]

-- Returns the number that a value begins with; 0 if there is none.
local function number(key)
  return tonumber(string.match(redis.call('GET', key) or '', '^%d+')) or 0
end
`

// Each script replies with a string, the one type that no version of the protocol and no option of a client
// turns into another, but for its bytes: a number, a number with a sealed record, or nothing.
const replyPattern = /^(?:\d+(?::[\w-]*)?)?$/

const get = `${prelude}
return redis.call('GET', record) or ''
`

const compareAndSwap = `${prelude}
local fencingToken, nextGeneration, sealed, ttlMs = unpack(ARGV)
if fencingToken ~= '' and number(fence) > tonumber(fencingToken) then return '0' end
if number(record) + 1 ~= tonumber(nextGeneration) then return '0' end
redis.call('SET', record, nextGeneration .. ':' .. sealed, 'PX', ttlMs)
return '1'
`

const lock = `${prelude}
local owner, ttlMs, fenceTtlMs = unpack(ARGV)
local holder = redis.call('GET', lock)
if holder and holder ~= owner then return '' end
local fencingToken = number(fence)
if not holder then fencingToken = fencingToken + 1 end
local digits = string.format('%.0f', fencingToken)
redis.call('SET', lock, owner, 'PX', ttlMs)
redis.call('SET', fence, digits, 'PX', fenceTtlMs)
return digits
`

const unlock = `${prelude}
if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end
return ''
`

/**
 * Keeps tokens in Redis, for processes and hosts that share one. Takes a client of node-redis 4 to 6
 * or ioredis 5 and 6, which the caller connects, listens to for errors and closes. Everything it writes
 * expires. If Redis loses keys, by eviction or a failover, the cost is another login.
 *
 * @throws TypeError if the client or an option is invalid; the message names it.
 * @example
 * import { createTokenAuth } from '@svc/auth-token'
 * import { redisTokenStore } from '@svc/auth-token/redis-store'
 * import { createClient } from 'redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379' })
 * client.on('error', (error) => console.warn(error.message))
 * await client.connect()
 * const auth = createTokenAuth({
 *   baseUrl: 'https://search.example.com',
 *   credentials: { username: 'reader@example.com', password: 'a password' },
 *   store: redisTokenStore(client),
 * })
 * await auth.getToken()
 * @see https://redis.io/docs/latest/develop/programmability/eval-intro/
 */
export function redisTokenStore(
  client: NodeRedisClient | IoredisClient,
  options: RedisTokenStoreOptions = {},
): SharedTokenStore {
  const evaluate = evaluateOf(client)
  check(evaluate, caller, 'client must be a node-redis or ioredis client')
  const { prefix = 'svc-auth:' } = checkOptions(options, caller, { prefix: 'keyPrefix namespace' })
  const isPrefix = typeof prefix === 'string' && !/[{}]/.test(prefix)
  check(isPrefix, caller, 'prefix must be a string without { or }, which would change the hash tag')

  const run = async (script: string, key: string, ...values: string[]): Promise<string> => {
    // The braces are the hash tag: they put the keys of an entry on one node of a cluster.
    const keys = ['record', 'lock', 'fence'].map((name) => `${prefix}{${key}}:${name}`)
    const reply = textOf(await evaluate(script, keys, values))
    if (reply !== undefined && replyPattern.test(reply)) return reply
    throw new Error('[@svc/auth-token] the Redis client did not return the reply of the script')
  }

  return storeAt(['redis', prefix, client], {
    async get(key) {
      const [generation, sealed] = (await run(get, key)).split(':')
      return sealed === undefined ? undefined : { generation: Number(generation), sealed }
    },
    async compareAndSwap(key, { generation, sealed }, { fencingToken, ttlMs }) {
      const values = [`${fencingToken ?? ''}`, `${generation}`, sealed, expiry(ttlMs)]
      return (await run(compareAndSwap, key, ...values)) === '1'
    },
    async lock(key, { owner, ttlMs }) {
      const fencingToken = await run(lock, key, owner, expiry(ttlMs), expiry(ttlMs + fenceTtlMs))
      return fencingToken === '' ? undefined : Number(fencingToken)
    },
    async unlock(key, owner) {
      await run(unlock, key, owner)
    },
  })
}

function evaluateOf(client: Partial<NodeRedisClient & IoredisClient> | null): Evaluate | undefined {
  if (typeof client?.EVAL === 'function') {
    return async (script, keys, values) => client.EVAL?.(script, { keys, arguments: values })
  }
  if (typeof client?.call === 'function' && typeof client.eval === 'function') {
    return async (script, keys, values) => client.eval?.(script, keys.length, ...keys, ...values)
  }
  return undefined
}

function textOf(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply
  return ArrayBuffer.isView(reply) ? new TextDecoder().decode(reply) : undefined
}

function expiry(ttlMs: number): string {
  return `${Math.min(Math.max(Math.ceil(ttlMs), 1), longestTtlMs)}`
}

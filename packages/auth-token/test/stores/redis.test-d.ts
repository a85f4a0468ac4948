import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { createClient, createClientPool, createCluster, RESP_TYPES } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis5'
import type { TokenStore } from '@svc/auth-token'
import { redisTokenStore } from '@svc/auth-token/redis-store'

const rootNodes = [{ url: 'redis://a.example' }]
const nodes = ['redis://a.example']

export const stores: readonly TokenStore[] = [
  redisTokenStore(createClient4()),
  redisTokenStore(createClient5()),
  redisTokenStore(createClient5({ RESP: 3 })),
  redisTokenStore(createClient()),
  redisTokenStore(createClient({ RESP: 2 })),
  redisTokenStore(createClient().withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })),
  redisTokenStore(createClientPool()),
  redisTokenStore(createCluster4({ rootNodes })),
  redisTokenStore(createCluster5({ rootNodes })),
  redisTokenStore(createCluster({ rootNodes })),
  redisTokenStore(new Redis5()),
  redisTokenStore(new Redis()),
  redisTokenStore(new Cluster5(nodes)),
  redisTokenStore(new Cluster(nodes)),
  redisTokenStore(new Redis(), {}),
  redisTokenStore(new Redis(), { prefix: 'a:' }),
  redisTokenStore(new Redis(), { prefix: undefined }),
]

// @ts-expect-error -- a client can run scripts
redisTokenStore({})
// @ts-expect-error -- `eval` alone does not tell whose client it is
redisTokenStore({ eval: async () => '' })
// @ts-expect-error -- that of callbacks gives no promise
redisTokenStore(createClient().legacy())
// @ts-expect-error -- a prefix is text
redisTokenStore(new Redis(), { prefix: 1 })
// @ts-expect-error -- no such option
redisTokenStore(new Redis(), { keyPrefix: 'a:' })

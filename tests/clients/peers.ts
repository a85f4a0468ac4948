import { createServer } from 'node:http'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import { Agent, interceptors, request } from 'undici'
import { listenOnLoopback, type LoopbackServer } from '../support/loopback.ts'
import { type ClientUnderTest, titleOf } from './client.ts'
import { axiosFetchClient, axiosHttpClient } from './libraries/axios.ts'
import { fetchClient } from './libraries/fetch.ts'
import { got16Client } from './libraries/got.ts'
import { ky2Client } from './libraries/ky.ts'
import { undiciRequestClient } from './libraries/undici.ts'
import { authCodeOf } from './expect.ts'
import { startStrays, type Strays } from './service/strays.ts'

/** The credentials that a client takes along to another origin. */
export interface PeerLeak {
  readonly client: string
  readonly bare: readonly string[]
  /** `refused`: it follows no such redirect, not even where that is asked for. */
  readonly withAdapter: readonly string[] | 'refused'
}

/** A client as it is used without this library, with headers of an instance or a call. */
interface Peer {
  readonly client: ClientUnderTest
  readonly get: (url: URL, headers: Readonly<Record<string, string>>) => Promise<unknown>
}

const credentials = {
  'x-svc-security-token': 'token-of-the-caller',
  'x-amz-security-token': 'session-of-the-caller',
  authorization: 'AWS4-HMAC-SHA256 Credential=of-the-caller',
}

const peers: readonly Peer[] = [
  {
    client: fetchClient,
    get: async (url, headers) => (await fetch(url, { headers })).text(),
  },
  {
    client: ky2Client,
    get: (url, headers) => ky.create({ headers }).get(url).text(),
  },
  {
    client: axiosFetchClient,
    get: (url, headers) => axios.create({ headers, adapter: 'fetch' }).get(url.href),
  },
  {
    client: axiosHttpClient,
    get: (url, headers) => axios.create({ headers, adapter: 'http' }).get(url.href),
  },
  {
    client: undiciRequestClient,
    async get(url, headers) {
      const agent = new Agent()
      const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 1 }))
      await (await request(url, { headers, dispatcher })).body.text()
      await agent.close()
    },
  },
  {
    client: got16Client,
    get: (url, headers) => got.extend({ headers }).get(url).text(),
  },
]

/** Lets each client, bare and with its adapter, follow a redirect to another origin. */
export async function leaksOfPeers(): Promise<PeerLeak[]> {
  const leaks: PeerLeak[] = []
  for (const { client, get } of peers) {
    const bare = await arrivedElsewhere((url) => get(url, credentials))
    const withAdapter = await arrivedElsewhere(async (url) => {
      const { send, close } = client.connect(schemeFor(url), { options: { redirect: 'follow' } })
      try {
        await (await send({ method: 'GET', url })).text()
      } catch (error) {
        // A code of ours, or an error of the network that is none.
        authCodeOf(error)
      } finally {
        await close?.()
      }
    })
    if (bare === 'refused') throw new Error(`${titleOf(client)} did not follow the redirect`)
    leaks.push({ client: titleOf(client), bare, withAdapter })
  }
  return leaks
}

/** The names of the credentials that came along to the other origin, if anything came there. */
async function arrivedElsewhere(
  get: (url: URL) => Promise<unknown>,
): Promise<string[] | 'refused'> {
  const strays = await startStrays()
  const redirecting = await startRedirecting(strays)
  try {
    await get(redirecting.url)
  } finally {
    await redirecting.close()
    await strays.close()
  }
  const [stray] = strays.arrived
  return stray ? Object.keys(credentials).filter((name) => name in stray.headers) : 'refused'
}

async function startRedirecting(strays: Strays): Promise<LoopbackServer> {
  const server = createServer((_, response) => {
    response.writeHead(302, { location: strays.url.href }).end()
  })
  return listenOnLoopback(server)
}

/** The same credentials, as a scheme that covers one origin. */
function schemeFor({ origin }: URL): AuthScheme {
  return {
    name: 'peer',
    covers: (url) => url.origin === origin,
    authorize: () => ({ scheme: 'peer', headers: Object.entries(credentials) }),
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthScheme } from '@svc/types'
import axios from 'axios'
import got from 'got'
import ky from 'ky'
import { Agent, interceptors, request } from 'undici'
import { type ClientUnderTest, titleOf } from './client.ts'
import { fetchClient } from './clients/fetch.ts'
import { ky2Client } from './clients/ky.ts'
import { startStrays, type Strays } from './service/strays.ts'

/** Which credentials a client takes along to another origin. */
export interface PeerLeak {
  readonly client: string
  /** How the credentials were set, as is usual with this client. */
  readonly setBy: string
  readonly bare: readonly string[]
  readonly withAdapter: readonly string[]
}

/** A client as it is used without this library. */
interface Peer {
  readonly client: ClientUnderTest
  readonly setBy: string
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
    setBy: '`headers`',
    get: async (url, headers) => (await fetch(url, { headers })).text(),
  },
  {
    client: ky2Client,
    setBy: '`beforeRequest`',
    get: (url, headers) =>
      ky(url, {
        hooks: {
          beforeRequest: [
            ({ request: own }) => {
              for (const [name, value] of Object.entries(headers)) own.headers.set(name, value)
            },
          ],
        },
      }).text(),
  },
]
void axios
void got
void Agent
void interceptors
void request

/** Lets each client, bare and with its adapter, follow a redirect to another origin. */
export async function leaksOfPeers(): Promise<PeerLeak[]> {
  const leaks: PeerLeak[] = []
  for (const { client, setBy, get } of peers) {
    const bare = await arrivedElsewhere((url) => get(url, credentials))
    const withAdapter = await arrivedElsewhere(async (url) => {
      const connection = client.connect(schemeFor(url), { options: { redirect: 'follow' } })
      const answer = await connection.send({ method: 'GET', url })
      await answer.text()
      await connection.close?.()
    })
    leaks.push({ client: titleOf(client), setBy, bare, withAdapter })
  }
  return leaks
}

/** The names of the credentials that came along to the other origin. */
async function arrivedElsewhere(get: (url: URL) => Promise<unknown>): Promise<string[]> {
  const strays = await startStrays()
  const redirecting = await startRedirecting(strays)
  try {
    await get(redirecting.url)
  } finally {
    await redirecting.close()
    await strays.close()
  }
  const [stray] = strays.arrived
  if (!stray) throw new Error('the redirect was not followed')
  return Object.keys(credentials).filter((name) => name in stray.headers)
}

async function startRedirecting(strays: Strays): Promise<{ url: URL; close(): Promise<void> }> {
  const server = createServer((_, response) => {
    response.writeHead(302, { location: strays.url.href }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The same credentials, as a scheme that covers one origin. */
function schemeFor({ origin }: URL): AuthScheme {
  return {
    name: 'peer',
    covers: (url) => url.origin === origin,
    authorize: () => ({ scheme: 'peer', headers: Object.entries(credentials) }),
  }
}

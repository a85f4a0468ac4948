import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { Addresses } from '../addresses.ts'
import { equal } from '../assert.ts'
import type { Check } from '../check.ts'
import { apiKey, credentials } from '../credentials.ts'
import { isReactNative } from '../runtime-kind.ts'
import type { RuntimeClient, Send } from './client.ts'

const trusting = isReactNative ? { trustRedirects: true } : {}

/** Returns a check for each client: a request with a token, an upload with a signature, and its content again. */
export function createClientChecks(
  { service }: Addresses,
  clients: readonly RuntimeClient[],
): readonly Check[] {
  const baseUrl = new URL(service)
  const token = createTokenAuth({ baseUrl, credentials, ...trusting })
  const sigv4 = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey })
  const auth = createServiceRoutes({ baseUrl, token, sigv4 })
  return clients.map(({ name, connect }) => ({
    name: `${name} sends a token and a signature`,
    client: name,
    async run(): Promise<'refused' | void> {
      const sent = connect(auth).then((send) => expectBoth(send, baseUrl))
      if (!isWithout(name)) return sent
      equal(await fails(sent), true, 'an error, for the table says that it does not run here')
      return 'refused'
    },
  }))
}

/** Tells if a client does not run in this runtime. */
function isWithout(name: string): boolean {
  // React Native's `fetch` follows redirects whatever it is told, and `light` cannot be told to trust that.
  if (name === 'fetch, light') return isReactNative
  // In its place Bun has a module of its own, which composes no interceptors.
  return name === 'undici' && 'Bun' in globalThis
}

async function expectBoth(send: Send, baseUrl: URL): Promise<void> {
  const groups = await send(new URL('/user/groups', baseUrl), 'GET')
  equal(groups.includes('group-0001'), true, 'the groups of the user')
  const object = new URL('/V1/from-a-client.txt', baseUrl)
  await send(object, 'PUT', 'größer')
  equal(await send(object, 'GET'), 'größer', 'the object')
}

async function fails(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  )
}

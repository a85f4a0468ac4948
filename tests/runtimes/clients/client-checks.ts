import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth } from '@svc/auth-token'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { Addresses } from '../addresses.ts'
import { equal } from '../assert.ts'
import type { Check } from '../check.ts'
import { apiKey, credentials } from '../credentials.ts'
import { portableDigest } from '../digest-checks.ts'
import { isReactNative } from '../runtime-kind.ts'
import type { RuntimeClient, Send } from './client.ts'

const trusting = isReactNative ? { trustRedirects: true } : {}

/**
 * Returns a check for each client: a request with a token, an upload with a signature, and its content again; and the
 * answer to a challenge of Digest.
 */
export function createClientChecks(
  addresses: Addresses,
  clients: readonly RuntimeClient[],
): readonly Check[] {
  const { service, control } = addresses
  const baseUrl = new URL(service)
  const token = createTokenAuth({ baseUrl, credentials, ...trusting })
  const sigv4 = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey })
  const auth = createServiceRoutes({ baseUrl, token, sigv4 })
  return clients.map(({ name, connect }) => ({
    name: `${name} sends a token, a signature and a digest`,
    client: name,
    async run(): Promise<'refused' | void> {
      const sent = connect(auth).then((send) => expectBoth(send, baseUrl))
      if (isWithout(name)) {
        equal(await fails(sent), true, 'an error, for the table says that it does not run here')
        return 'refused'
      }
      await sent
      await expectDigest(await connect(portableDigest(addresses)), control)
      return undefined
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

async function expectDigest(send: Send, control: string): Promise<void> {
  const url = new URL('/digest/SHA-256/from-a-client.txt', control)
  const stored = await send(url, 'PUT', 'größer')
  equal(stored.endsWith('größer'), true, 'the body')
  // By the challenge that is known now.
  const [nonce, count] = (await send(url, 'GET')).trim().split(' ')
  equal(nonce === stored.split(' ', 1).join(''), true, 'one challenge')
  equal(count ?? '', '00000002', 'count')
}

async function fails(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  )
}

import { createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { nobleEngine } from '@svc/auth-sigv4/noble'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import type { AuthFetchOptions } from '@svc/auth-hooks'
import { authFetch as retryFetch } from '@svc/auth-hooks/retry'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { AuthScheme, Fetch } from '@svc/types'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { Addresses } from './addresses.ts'
import { equal, rejectsWith, throws } from './assert.ts'
import { createBodyChecks } from './body-checks.ts'
import type { Check } from './check.ts'
import { createControl } from './control.ts'
import { apiKey, credentials } from './credentials.ts'
import { isBrowser, isReactNative, lacksCrypto } from './runtime-kind.ts'

const awkwardKey = "V1/a+b & 9% = (it's) *new*! ~ Größe 東京 📊.json"
const awkwardTarget =
  '/V1/a%2Bb%20%26%209%25%20%3D%20%28it%27s%29%20%2Anew%2A%21%20~%20Gr%C3%B6%C3%9Fe' +
  '%20%E6%9D%B1%E4%BA%AC%20%F0%9F%93%8A.json'

// Published by AWS's documents; nothing in it is secret.
const documentedApiKey = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const documentedSignature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'

/**
 * The checks, with every scheme made at once: where this is called at the top of a worker, it shows
 * that no scheme needs the network, a timer or randomness to be made.
 */
export function createChecks(addresses: Addresses): readonly Check[] {
  const { service, control: controlAddress } = addresses
  const control = createControl(controlAddress)
  const baseUrl = new URL(service)
  const region = 'us-east-1'
  const groupsUrl = new URL('/user/groups', baseUrl)
  const objectUrl = new URL(awkwardKey, baseUrl)
  const token = createTokenAuth({ baseUrl, credentials, ...trusting })
  const coldToken = createTokenAuth({ baseUrl, credentials, session: 'own', ...trusting })
  const sigv4 = createSigV4Auth({ baseUrl, region, credentials: apiKey })
  const webCrypto = createSigV4Auth({
    baseUrl,
    region,
    credentials: apiKey,
    engine: webCryptoEngine(),
  })
  const hourOff = createSigV4Auth({
    baseUrl,
    region,
    credentials: apiKey,
    clock: () => Date.now() + 3_600_000,
  })
  const selector = createServiceRoutes({ baseUrl, token, sigv4 })
  const documented = {
    baseUrl: 'https://examplebucket.s3.amazonaws.com',
    region,
    credentials: documentedApiKey,
  }
  const documentedDefault = createSigV4Auth(documented)
  const documentedWebCrypto = createSigV4Auth({ ...documented, engine: webCryptoEngine() })
  const documentedNoble = createSigV4Auth({ ...documented, engine: nobleEngine() })
  const fetchWithToken = authorizing(token)
  const fetchSigned = authorizing(sigv4)
  const fetchByRoute = authorizing(selector)

  const loginsDuring = async (action: () => Promise<void>): Promise<number> => {
    const { logins } = await control.state()
    await action()
    return (await control.state()).logins - logins
  }
  const listGroups = async (fetchGroups: Fetch): Promise<void> => {
    const response = await fetchGroups(groupsUrl)
    const text = await response.text()
    equal(response.status, 200, 'status')
    equal(text.includes('"group-0001"'), true, 'the groups of the user')
  }
  const readObject = async (expected: string): Promise<void> => {
    const response = await fetchSigned(objectUrl)
    equal(await response.text(), expected, 'body')
    equal((await control.state()).last?.target ?? '', awkwardTarget, 'request target')
  }

  return [
    {
      name: 'a login, and groups with its token',
      async run() {
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 1, 'logins')
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 0, 'further logins')
      },
    },
    {
      name: 'one login for two concurrent callers',
      async run() {
        const fetchGroups = authorizing(coldToken)
        const both = async (): Promise<void> => {
          await Promise.all([listGroups(fetchGroups), listGroups(fetchGroups)])
        }
        equal(await loginsDuring(both), 1, 'logins')
      },
    },
    {
      name: 'a revoked token costs one login and no error',
      async run() {
        await listGroups(fetchWithToken)
        await control.revokeTokens()
        equal(await loginsDuring(() => listGroups(fetchWithToken)), 1, 'logins')
      },
    },
    {
      name: 'a 503 and a broken connection are retried',
      async run() {
        await listGroups(fetchWithToken)
        await control.failTwice()
        const { arrived } = await control.state()
        await listGroups(retryFetch(token, { ...trusting, retry: { baseDelayMs: 1 } }))
        equal((await control.state()).arrived - arrived, 3, 'requests')
      },
    },
    {
      name: 'an awkward key is stored and read by (url, init)',
      async run() {
        const response = await fetchSigned(objectUrl, { method: 'PUT', body: 'by init' })
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by init')
      },
    },
    {
      name: 'an awkward key is stored and read by a Request with a body',
      async run() {
        const request = new Request(objectUrl, { method: 'PUT', body: 'by Request' })
        const send = authorizing(sigv4, { rebuildRequests: true })
        const response = await send(request)
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by Request')
      },
    },
    {
      name: 'a Request with a body whose URL needs no change is sent as it is',
      async run() {
        const url = new URL('/V1/plain.txt', baseUrl)
        const stored = await fetchSigned(new Request(url, { method: 'PUT', body: 'plain' }))
        await stored.text()
        equal(stored.status, 200, 'status')
        equal(await (await fetchSigned(new Request(url))).text(), 'plain', 'body')
      },
    },
    {
      name: 'Web Crypto signs what the service accepts, or a typed error says that there is none',
      async run(): Promise<'refused' | void> {
        const sent = authorizing(webCrypto)(objectUrl, { method: 'PUT', body: 'web' })
        if (lacksCrypto) {
          await rejectsWith(sent, 'ERR_AUTH_CRYPTO')
          return 'refused'
        }
        const response = await sent
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('web')
      },
    },
    {
      name: 'a selector takes tokens below /user and signatures elsewhere',
      async run() {
        await listGroups(fetchByRoute)
        const response = await fetchByRoute(objectUrl, { method: 'PUT', body: 'by route' })
        await response.text()
        equal(response.status, 200, 'status')
        await readObject('by route')
      },
    },
    ...createBodyChecks(addresses, fetchSigned),
    ...[
      { engine: 'the default engine', auth: documentedDefault },
      { engine: 'the engine of @noble/hashes', auth: documentedNoble },
      ...(lacksCrypto ? [] : [{ engine: 'Web Crypto', auth: documentedWebCrypto }]),
    ].map(({ engine, auth }): Check => ({
      name: `the documented signature of an object's range, by ${engine}`,
      async run() {
        const { signature } = await explain(
          auth,
          'https://examplebucket.s3.amazonaws.com/test.txt',
          { headers: { range: 'bytes=0-9' } },
          { at: Date.UTC(2013, 4, 24) },
        )
        equal(signature, documentedSignature, 'signature')
      },
    })),
    {
      name: 'a clock that is an hour off is corrected by the Date of a refusal',
      async run() {
        const signed = authorizing(hourOff)
        for (const attempts of [2, 1]) {
          const { arrived } = await control.state()
          const response = await signed(objectUrl, { method: 'PUT', body: 'late' })
          await response.text()
          equal(response.status, 200, 'status')
          equal((await control.state()).arrived - arrived, attempts, 'attempts')
        }
      },
    },
    {
      name: 'a redirect within the service is followed with a credential, or refused with a typed error',
      async run(): Promise<'refused' | void> {
        await listGroups(fetchWithToken)
        await control.redirectWithin()
        if (isBrowser) {
          await rejectsWith(fetchWithToken(groupsUrl), 'ERR_AUTH_REDIRECT')
          return 'refused'
        }
        await listGroups(fetchWithToken)
        equal((await control.state()).last?.target ?? '', '/user/groups?moved', 'target')
      },
    },
    {
      name: 'a redirect to another origin is refused, and nothing is sent there',
      async run(): Promise<'refused' | void> {
        // Its fetch cannot be kept from it, and is taken only if the caller says so.
        if (isReactNative) {
          throws(() => authFetch(token), 'trustRedirects')
          throws(() => createTokenAuth({ baseUrl, credentials }), 'trustRedirects')
          return 'refused'
        }
        await control.redirectAway()
        await rejectsWith(fetchWithToken(groupsUrl), 'ERR_AUTH_REDIRECT')
        equal((await control.state()).strays, 0, 'requests to the other origin')
      },
    },
    {
      name: 'a request to another origin is refused',
      async run() {
        await rejectsWith(fetchByRoute(new URL('/stray', controlAddress)), 'ERR_AUTH_ORIGIN')
        equal((await control.state()).strays, 0, 'requests to the other origin')
      },
    },
    {
      name: 'an abort during a request rejects with its reason',
      async run() {
        await control.slowObject()
        const { arrived: before } = await control.state()
        const reason = new Error('no longer wanted')
        const controller = new AbortController()
        const sent = fetchSigned(objectUrl, { signal: controller.signal })
        let arrived: number
        do ({ arrived } = await control.state())
        while (arrived === before)
        controller.abort(reason)
        const came = await sent.catch((error: unknown) => error)
        equal(came === reason, true, 'the reason itself')
      },
    },
    {
      name: 'a request that is already aborted rejects with its reason',
      async run() {
        const reason = new Error('no longer wanted')
        const signal = AbortSignal.abort(reason)
        const came = await fetchByRoute(groupsUrl, { signal }).catch((error: unknown) => error)
        equal(came === reason, true, 'the reason itself')
      },
    },
  ]
}

/** Options without which some runtime sends nothing. */
const trusting = isReactNative ? { trustRedirects: true } : {}

/** Returns a `fetch` with a scheme, in any runtime. */
function authorizing(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  return authFetch(scheme, { ...options, ...trusting })
}

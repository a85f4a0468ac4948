import { Buffer } from 'node:buffer'
import process from 'node:process'
import type { Check } from '../check.ts'
import { apiKey, credentials } from '../credentials.ts'
import { runChecks } from '../run-checks.ts'
import { takeAway } from './take-away.ts'

const [, , what = '', service = ''] = process.argv
const givenFetch = globalThis.fetch
// Node loads its own only now, and with what is there.
await givenFetch('data:,')
takeAway(what)

// Loaded by a runtime that never had it.
const { authFetch, createTokenAuth } = await import('@svc/auth-token')
const { memoryTokenStore } = await import('@svc/auth-token/memory-store')
const { createSigV4Auth } = await import('@svc/auth-sigv4')
const { streaming } = await import('@svc/auth-sigv4/streaming')
const { webCryptoEngine } = await import('@svc/auth-sigv4/webcrypto')
const { kyAuthHooks } = await import('@svc/auth-hooks')
const { authAxios } = await import('@svc/auth-hooks/axios')

/** The calls that cannot be made without something, and the code or the word of the error that says so. */
const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  crypto: {
    'Web Crypto': 'ERR_AUTH_CRYPTO',
    form: 'ERR_AUTH_CRYPTO',
    store: 'ERR_AUTH_CRYPTO',
  },
  URL: { every: 'react-native-url-polyfill' },
  'URL.canParse': { every: 'react-native-url-polyfill' },
  'a URL of React Native': { every: 'react-native-url-polyfill' },
  'a fetch of React Native': { every: 'trustRedirects', 'given fetch': '' },
}

const there = { baseUrl: service, region: 'us-east-1', credentials: apiKey }
const object = `${service}V1/an object.txt`
const put = { method: 'PUT', body: 'größer' }

const calls: Readonly<Record<string, () => Promise<Response>>> = {
  token: () =>
    authFetch(createTokenAuth({ baseUrl: service, credentials }))(`${service}user/groups`),
  'base URL': () =>
    authFetch(createTokenAuth({ baseUrl: service, credentials }), { baseUrl: service })(
      'user/groups',
    ),
  'given fetch': () => {
    const fetch = givenFetch
    const auth = createTokenAuth({ baseUrl: service, credentials, fetch })
    return authFetch(auth, { fetch })(`${service}user/groups`)
  },
  signature: () => authFetch(createSigV4Auth(there))(object, put),
  'Web Crypto': () =>
    authFetch(createSigV4Auth({ ...there, engine: webCryptoEngine() }))(object, put),
  bytes: () => authFetch(createSigV4Auth(there))(object, { ...put, body: Buffer.from('bytes') }),
  request: () => authFetch(createSigV4Auth(there))(new Request(`${service}V1/request`, put)),
  form: () => authFetch(createSigV4Auth(there))(object, { ...put, body: form() }),
  'signed chunks': () =>
    authFetch(createSigV4Auth({ ...there, payload: streaming() }))(object, put),
  store: async () => {
    const store = memoryTokenStore()
    const auth = createTokenAuth({ baseUrl: service, credentials, store })
    return authFetch(auth)(`${service}user/groups`)
  },
  signal: () =>
    authFetch(createSigV4Auth(there))(object, { ...put, signal: new AbortController().signal }),
  'hooks of ky': async () => {
    kyAuthHooks(createTokenAuth({ baseUrl: service, credentials }))
    return new Response()
  },
  axios: async () => {
    authAxios(createTokenAuth({ baseUrl: service, credentials }), { adapter: 'fetch' })
    return new Response()
  },
}

function form(): FormData {
  const Form = globalThis.FormData as typeof FormData | undefined
  if (!Form) throw new Error('no form')
  const made = new Form()
  made.set('field', 'größer')
  return made
}

const expected = refused[what] ?? {}
const checks = Object.entries(calls).map(([name, call]): Check => ({
  name,
  async run(): Promise<'refused' | void> {
    // Nobody has one to send.
    if (name === 'form' && what === 'FormData') return 'refused'
    const word = expected[name] ?? expected['every']
    let came: string
    try {
      const response = await call()
      await response.text()
      came = String(response.status)
    } catch (error) {
      const { code = '' } = Object(error) as { readonly code?: string }
      came = `${code} ${String(error)}`
    }
    if (!word) {
      if (came !== '200') throw new Error(came)
      return
    }
    const isTyped = /^(?:ERR_AUTH_\w+ AuthError| TypeError): \[@svc\//.test(came)
    if (!isTyped || !came.includes(word)) throw new Error(`expected ${word}, came ${came}`)
    return 'refused'
  },
}))
const report = await runChecks(checks)
console.log(JSON.stringify(report))

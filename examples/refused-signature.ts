// Finds out why a signature was refused: what was signed, and which line the server saw differently.
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { createEmulator, defaultApiKeys } from '@svc/emulator'
import type { Fetch } from '@svc/types'

// The emulator stands in for the service: use your environment's domain, region and key.
const service = await createEmulator().listen()

// Stands in for a gateway in between that adds a charset if there is none.
const throughGateway: Fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('content-type', `${headers.get('content-type')}; charset=utf-8`)
  return fetch(input, { ...init, headers })
}

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  credentials: defaultApiKeys[0],
})
const url = new URL('/V1/report.csv', service.url)
const init = { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'a;b;c' }

// What is signed, without sending anything.
const { canonicalRequest, signedHeaders } = await explain(auth, url, init)
console.log(`${canonicalRequest}\n`)
console.log(`signed: ${signedHeaders}\n`)

const response = await authFetch(auth, { fetch: throughGateway })(url, init)
if (response.status === 403) {
  // Give it what fetch was given. Secrets are shortened, so that the summary may go into a log.
  const { verdict, summary } = await diagnose(auth, response, url, init)
  console.log(`${verdict}\n${summary}`)
}

await service.close()

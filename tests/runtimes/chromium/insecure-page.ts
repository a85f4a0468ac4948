import { createSigV4Auth } from '@svc/auth-sigv4'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Addresses } from '../addresses.ts'
import { equal, rejectsWith } from '../assert.ts'
import type { Check } from '../check.ts'
import { createControl } from '../control.ts'
import { apiKey, credentials } from '../credentials.ts'
import { runChecks } from '../run-checks.ts'
import { show } from '../../support/chromium/show.ts'

// Put there by the bundler.
declare const hostAddresses: Addresses

const { service, control: controlAddress } = hostAddresses
const control = createControl(controlAddress)
const checks: readonly Check[] = [
  {
    name: 'a page that is not a secure context logs in and sends a token',
    async run() {
      equal(isSecureContext, false, 'a secure context')
      const fetchWithToken = authFetch(createTokenAuth({ baseUrl: service, credentials }))
      equal((await fetchWithToken(new URL('/user/groups', service))).status, 200, 'status')
    },
  },
  {
    name: 'a page that is not a secure context signs nothing, and a typed error says why',
    async run() {
      const { arrived } = await control.state()
      const options = { baseUrl: service, region: 'us-east-1', credentials: apiKey }
      const schemes = [
        createSigV4Auth(options),
        createSigV4Auth({ ...options, engine: webCryptoEngine() }),
        createSigV4Auth({ ...options, payload: 'unsigned' }),
      ]
      for (const scheme of schemes) {
        await rejectsWith(authFetch(scheme)(new URL('/V1/a', service)), 'ERR_AUTH_CRYPTO')
      }
      equal((await control.state()).arrived, arrived, 'requests')
    },
  },
]
show(await runChecks(checks))

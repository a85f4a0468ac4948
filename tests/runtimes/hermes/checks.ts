import { createSigV4Auth } from '@svc/auth-sigv4'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Addresses } from '../addresses.ts'
import { equal, rejectsWith } from '../assert.ts'
import type { Check } from '../check.ts'
import { createControl } from '../control.ts'
import { apiKey, credentials } from '../credentials.ts'

/** Checks of what only React Native has. */
export function createReactNativeChecks({
  service: baseUrl,
  control: controlAddress,
}: Addresses): readonly Check[] {
  const control = createControl(controlAddress)
  const trusting = { trustRedirects: true }
  const token = createTokenAuth({ baseUrl, credentials, ...trusting })
  const there = { baseUrl, region: 'us-east-1', credentials: apiKey }
  const form = (): FormData => {
    const made = new FormData()
    made.append('field', 'größer')
    return made
  }
  return [
    {
      name: 'a form of React Native, whose bytes nobody sees, is sent unsigned',
      async run() {
        const send = authFetch(createSigV4Auth(there), trusting)
        const url = new URL('/V1/form', baseUrl)
        const response = await send(url, { method: 'PUT', body: form() })
        await response.text()
        equal(response.status, 200, 'status')
        const { last } = await control.state()
        equal(last?.payloadHash ?? '', 'UNSIGNED-PAYLOAD', 'payload hash')
        const stored = await (await send(url)).text()
        equal(stored.includes('form-data; name="field"'), true, `a form in ${stored}`)
        equal(stored.includes('größer'), true, `the field in ${stored}`)
      },
    },
    {
      name: 'a form of React Native that must be signed is refused with a typed error',
      async run() {
        const send = authFetch(createSigV4Auth({ ...there, payload: 'signed' }), trusting)
        const sent = send(new URL('/V1/form', baseUrl), { method: 'PUT', body: form() })
        await rejectsWith(sent, 'ERR_AUTH_BODY')
      },
    },
    {
      name: 'a Request of React Native with a form is sent as it stands',
      async run() {
        const url = new URL('/V1/form', baseUrl)
        const send = authFetch(createSigV4Auth(there), trusting)
        const response = await send(new Request(url, { method: 'PUT', body: form() }))
        await response.text()
        equal(response.status, 200, 'status')
      },
    },
    {
      name: 'a redirect that a fetch of React Native followed in secret is an error',
      async run() {
        await authFetch(token, trusting)(new URL('/user/groups', baseUrl))
        await control.redirectAway()
        const wrapped = authFetch(token, { fetch: async (input, init) => fetch(input, init) })
        await rejectsWith(wrapped(new URL('/user/groups', baseUrl)), 'ERR_AUTH_REDIRECT')
      },
    },
    {
      name: 'every entry can be loaded',
      async run() {
        const { exportedNames } = globalThis as unknown as { exportedNames: () => number[] }
        equal(
          exportedNames().every((count) => count >= 0),
          true,
          'entries',
        )
      },
    },
  ]
}

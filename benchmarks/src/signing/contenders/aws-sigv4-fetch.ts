import { createSignedFetcher } from 'aws-sigv4-fetch'
import { apiKey, region } from '../environment.ts'
import { type Contender, type SentRequest, sentByFetch } from '../contender.ts'

/** aws-sigv4-fetch, whose inner `fetch` responds at once. */
export const byAwsSigv4Fetch: Contender = {
  name: 'aws-sigv4-fetch',
  role: 'peer',
  async prepare({ method, url, headers, body }) {
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = new Response(null)
    const resolved = Promise.resolve(response)
    const options = { service: 's3', region, credentials: apiKey }
    const signedFetch = createSignedFetcher({ ...options, fetch: () => resolved })
    return {
      sign: () => signedFetch(url, init),
      async sent() {
        let sent: SentRequest | undefined
        const capture: typeof globalThis.fetch = async (input, wireInit) => {
          sent = sentByFetch(input, wireInit)
          return response
        }
        await createSignedFetcher({ ...options, fetch: capture })(url, init)
        if (!sent) throw new Error('nothing was sent')
        return sent
      },
    }
  },
}

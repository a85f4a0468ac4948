import { AwsClient } from 'aws4fetch'
import { apiKey, region } from '../environment.ts'
import { type Contender, sentByFetch } from '../contender.ts'

/**
 * aws4fetch. It signs no body for S3 unless it is given the hash, which WebCrypto computes for it here:
 * the same work as everybody else's.
 */
export const byAws4Fetch: Contender = {
  name: 'aws4fetch',
  role: 'peer',
  async prepare({ method, url, headers, body }) {
    const client = new AwsClient({ ...apiKey, region, service: 's3' })
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    if (body === undefined || bytes === undefined)
      return prepared(() => client.sign(url, { method, headers }))
    return prepared(async () => {
      const hash = hex(await crypto.subtle.digest('SHA-256', bytes))
      return client.sign(url, {
        method,
        headers: { ...headers, 'x-amz-content-sha256': hash },
        body,
      })
    })
  },
}

function prepared(sign: () => Promise<Request>): ReturnType<Contender['prepare']> {
  return Promise.resolve({ sign, sent: async () => sentByFetch(await sign()) })
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

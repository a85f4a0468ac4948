import aws4 from 'aws4'
import { apiKey, region } from '../environment.ts'
import type { Contender } from '../contender.ts'

/** aws4, given a URL that is taken apart already. */
export const byAws4: Contender = {
  name: 'aws4',
  role: 'peer',
  async prepare({ method, url, headers, body }) {
    const { host, pathname, search } = new URL(url)
    const path = pathname + search
    const bytes = body instanceof Uint8Array ? Buffer.from(body.buffer) : body
    const sign = (): aws4.Signed =>
      aws4.sign(
        // It writes into the headers that it is given.
        { host, method, path, service: 's3', region, headers: { ...headers }, body: bytes },
        apiKey,
      )
    return {
      sign,
      async sent() {
        const signed = sign()
        return { target: signed.path, headers: Object.entries(signed.headers).map(asText) }
      },
    }
  },
}

function asText([name, value]: [string, string | number]): [name: string, value: string] {
  return [name, String(value)]
}

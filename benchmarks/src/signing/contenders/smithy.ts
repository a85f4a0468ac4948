import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { apiKey, region } from '../environment.ts'
import type { Contender } from '../contender.ts'

/** Smithy with the hash that the AWS SDK gives it on Node, and a URL that is taken apart already. */
export const bySmithy: Contender = {
  name: '@smithy/signature-v4',
  role: 'peer',
  async prepare({ method, url, headers, body }) {
    const { protocol, hostname, host, pathname, searchParams } = new URL(url)
    const query = Object.fromEntries(searchParams)
    const signer = new SignatureV4({
      credentials: apiKey,
      region,
      service: 's3',
      sha256: Hash.bind(null, 'sha256'),
      uriEscapePath: false,
    })
    const sign = (): ReturnType<typeof signer.sign> =>
      signer.sign({
        method,
        protocol,
        hostname,
        path: pathname,
        query,
        headers: { host, ...headers },
        body,
      })
    return {
      sign,
      async sent() {
        const signed = await sign()
        const pairs = Object.entries(signed.query ?? {}).map(
          ([name, value]) => `${escape(name)}=${escape(String(value))}`,
        )
        const search = pairs.length > 0 ? `?${pairs.join('&')}` : ''
        return { target: signed.path + search, headers: Object.entries(signed.headers) }
      },
    }
  },
}

// As the handlers of the SDK write a query.
function escape(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

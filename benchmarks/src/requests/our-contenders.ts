import { authorizeRequest } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import type { ClientName, RequestContender, ServiceAddress } from './contender.ts'
import { paths, signatureScheme, tokenScheme } from './schemes.ts'
import { senders } from './senders.ts'

type Credential = RequestContender['credential']

const createScheme: Readonly<Record<Credential, (service: ServiceAddress) => AuthScheme>> = {
  token: tokenScheme,
  signature: signatureScheme,
}

/** Every client with our schemes, each after the same client with the same headers alone. */
export const ourContenders: readonly RequestContender[] = [
  ...pair('fetch', 'token'),
  ...pair('fetch', 'signature'),
  ...pair('ky', 'signature'),
  ...pair('axios', 'signature'),
  ...pair('got', 'signature'),
  ...pair('undici', 'signature'),
]

function pair(client: ClientName, credential: Credential): RequestContender[] {
  const sender = senders[client]
  const ours = Object.entries(sender.ours).map(([adapter, connect]): RequestContender => ({
    name: `${adapter}, ${credential}`,
    role: 'ours',
    client,
    credential,
    connect: async (service) =>
      connect(service.baseUrl + paths[credential], createScheme[credential](service)),
  }))
  const bare: RequestContender = {
    name: bareName(client, credential),
    role: 'bare',
    client,
    credential,
    async connect(service) {
      const url = service.baseUrl + paths[credential]
      const { headers } = await authorizeRequest(createScheme[credential](service), url)
      return sender.bare(url, Object.fromEntries(headers))
    },
  }
  return [bare, ...ours]
}

/** Returns the name of a client that sends headers made in advance. */
export function bareName(client: ClientName, credential: Credential): string {
  return `bare ${client}, ${credential}`
}

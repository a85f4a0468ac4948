import { authorizeRequest } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import type { ClientName, RequestContender, Send, ServiceAddress } from './contender.ts'
import { inAsyncFunction } from './requests-job.ts'
import { paths, selectorScheme, signatureScheme, tokenScheme } from './schemes.ts'
import { senders } from './senders.ts'

type Credential = RequestContender['credential']

/** Every client with our schemes, and with the same headers alone. */
export const ourContenders: readonly RequestContender[] = [
  ...withSchemes('fetch', 'token', tokenScheme),
  ...withSchemes('fetch', 'signature', signatureScheme),
  ...withSchemes('ky', 'token', tokenScheme),
  ...withSchemes('ky', 'signature', signatureScheme),
  ...withSchemes('axios', 'signature', signatureScheme),
  ...withSchemes('got', 'signature', signatureScheme),
  ...withSchemes('undici', 'signature', signatureScheme),
]

function withSchemes(
  client: ClientName,
  credential: Credential,
  createScheme: (service: ServiceAddress) => AuthScheme,
): RequestContender[] {
  const sender = senders[client]
  const contender = (
    name: string,
    connect: (url: string, service: ServiceAddress) => Send | Promise<Send>,
    isBare = false,
  ): RequestContender => ({
    name,
    client,
    isBare,
    credential,
    connect: async (service) => connect(service.baseUrl + paths[credential], service),
  })
  const withSameHeaders = async (url: string, service: ServiceAddress): Promise<Send> => {
    const { headers } = await authorizeRequest(createScheme(service), url)
    return sender.bare(url, Object.fromEntries(headers))
  }
  return [
    contender(`${client} with the same headers, ${credential}`, withSameHeaders, true),
    // Its loss against the line above is the noise of this machine.
    ...(client === 'fetch'
      ? [
          contender(inAsyncFunction(credential), async (url, service) => {
            const send = await withSameHeaders(url, service)
            return async () => await send()
          }),
        ]
      : []),
    contender(`${sender.adapter}, ${credential}`, (url, service) =>
      sender.authenticated(url, createScheme(service)),
    ),
    ...(client === 'fetch' || client === 'ky'
      ? [
          contender(`${sender.adapter}, selector to ${credential}`, (url, service) =>
            sender.authenticated(url, selectorScheme(service)),
          ),
        ]
      : []),
  ]
}

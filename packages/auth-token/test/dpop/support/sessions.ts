import { createSessionAuth, type SessionAuthOptions, type TokenAuth } from '@svc/auth-token'
import { dpop, type DpopOptions } from '@svc/auth-token/dpop'
import { clientCredentials, type OAuth2ClientOptions } from '@svc/auth-token/oauth2'
import { authorizationServer, reports, secrets } from '../../oauth2/support/authorization-server.ts'
import { resourceServer, type ResourceWorld } from './resource-server.ts'

type Own = Partial<OAuth2ClientOptions> &
  Partial<
    Pick<
      SessionAuthOptions<object>,
      'baseUrl' | 'clock' | 'fetch' | 'onEvent' | 'origins' | 'session' | 'store'
    >
  > & { readonly proofs?: DpopOptions }

/** The feature of the provider by which it asks for nonces. */
export const withNonces = {
  dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
}

/** An authorization server that binds each token, a resource server of its tokens, and the sessions of a client. */
export async function boundService(
  world: Partial<ResourceWorld> = {},
  options: Parameters<typeof authorizationServer>[0] = {},
) {
  const server = await authorizationServer({ binds: true, ...options })
  const resource = await resourceServer(server.find, world)
  const session = ({
    baseUrl = resource.origin,
    clock,
    fetch,
    onEvent,
    origins,
    session: kind = 'own',
    store,
    proofs,
    ...own
  }: Own = {}): TokenAuth => {
    const client = { clientId: 'basic', clientSecret: secrets.basic, resource: reports }
    return createSessionAuth({
      baseUrl,
      ...clientCredentials({ issuer: server.issuer, ...client, dpop: dpop(proofs), ...own }),
      clock,
      fetch,
      onEvent,
      origins,
      session: kind,
      store,
    })
  }
  return { server, resource, session }
}

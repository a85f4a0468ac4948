import { Provider } from 'oidc-provider'

/** What tells one provider from another. */
interface ProviderOptions {
  readonly clients: readonly object[]
  /** Further features, and others than below. */
  readonly features?: object
  readonly [setting: string]: unknown
}

const day = 86_400
/** What lasts ten minutes. */
const brief = 'AccessToken ClientCredentials DeviceCode IdToken Interaction Session'.split(' ')

/** Returns a provider of OpenID Connect that ends a sign-in whose refresh token comes twice. */
export function createProvider(issuer: string, { features, ...own }: ProviderOptions): Provider {
  return new Provider(issuer, {
    scopes: ['openid', 'offline_access', 'read', 'write'],
    rotateRefreshToken: true,
    cookies: { keys: ['not a secret'] },
    ttl: { ...Object.fromEntries(brief.map((kind) => [kind, 600])), Grant: day, RefreshToken: day },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    ...own,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          audience,
          scope: 'read write',
          accessTokenFormat: 'opaque',
        }),
      },
      ...features,
    },
  })
}

/** Returns the refresh token that a user's sign-in with the client `app` would give, bound to a key perhaps. */
export async function signInAt(
  provider: Provider,
  resource: string,
  bound: object = {},
): Promise<string> {
  const about = { accountId: 'reader', clientId: 'app' }
  const grant = new provider.Grant(about)
  grant.addOIDCScope('openid offline_access')
  grant.addResourceScope(resource, 'read write')
  const given = { grantId: await grant.save(), gty: 'authorization_code', resource, rotations: 0 }
  const client = await provider.Client.find('app')
  const scope = 'openid offline_access read write'
  return new provider.RefreshToken({ ...about, ...given, ...bound, client, scope }).save()
}

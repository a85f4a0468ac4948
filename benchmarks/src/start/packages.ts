/** A package, and the names that its user imports. */
export interface Imported {
  readonly specifier: string
  readonly names: readonly string[]
  /** `true` if the page shows the weight of its files. */
  readonly isWeighedByFile?: boolean
}

/** Our packages, alone and with `authFetch`, and those that do the same. */
export const importedPackages: readonly Imported[] = [
  { specifier: '@svc/auth-sigv4', names: ['createSigV4Auth'], isWeighedByFile: true },
  { specifier: '@svc/auth-sigv4', names: ['createSigV4Auth', 'authFetch'] },
  { specifier: '@svc/auth-hooks', names: ['authFetch'], isWeighedByFile: true },
  { specifier: 'aws4fetch', names: ['AwsClient'] },
  { specifier: 'aws4', names: ['default'] },
  { specifier: '@smithy/signature-v4', names: ['SignatureV4'] },
  { specifier: 'aws-sigv4-fetch', names: ['createSignedFetcher'] },
  { specifier: 'aws4-axios', names: ['aws4Interceptor'] },
  { specifier: '@svc/auth-token', names: ['createTokenAuth'], isWeighedByFile: true },
  { specifier: '@svc/auth-token', names: ['createTokenAuth', 'authFetch'] },
  { specifier: 'jose', names: ['jwtVerify'] },
  { specifier: '@badgateway/oauth2-client', names: ['OAuth2Client', 'OAuth2Fetch'] },
  { specifier: '@azure/core-rest-pipeline', names: ['bearerTokenAuthenticationPolicy'] },
  { specifier: 'google-auth-library', names: ['OAuth2Client'] },
  { specifier: '@svc/route-auth-selector', names: ['createServiceRoutes'], isWeighedByFile: true },
  { specifier: '@svc/service-auth', names: ['createServiceAuth', 'authFetch'] },
]

import type { ImportedNames } from '../../../scripts/size/measure-size.ts'

/** What a user of a library bundles. */
export interface Application {
  readonly name: string
  readonly imports: ImportedNames
  /** Packages that do not count. */
  readonly without?: readonly string[]
  /** Pages, by the condition `browser`; Node, where the library needs it; or no platform in particular. */
  readonly platform: 'any' | 'browser' | 'node'
  /** `true` if the page shows what its files weigh. */
  readonly isWeighedByFile?: boolean
}

const token = { '@svc/auth-token': ['createTokenAuth', 'authFetch'] }
const signature = { '@svc/auth-sigv4': ['createSigV4Auth', 'authFetch'] }
const light = {
  '@svc/auth-sigv4': ['createSigV4Auth'],
  '@svc/auth-hooks/light': ['authFetch'],
}

/** Our packages as they are used, and libraries that do the same. */
export const applications = [
  { name: 'token + authFetch', imports: token, platform: 'any', isWeighedByFile: true },
  { name: 'token + authFetch, page', imports: token, platform: 'browser' },
  { name: 'sigv4 + authFetch', imports: signature, platform: 'any', isWeighedByFile: true },
  { name: 'sigv4 + authFetch, page', imports: signature, platform: 'browser' },
  { name: 'sigv4 + light authFetch', imports: light, platform: 'any', isWeighedByFile: true },
  {
    name: 'token + light authFetch',
    imports: { '@svc/auth-token': ['createTokenAuth'], '@svc/auth-hooks/light': ['authFetch'] },
    platform: 'any',
  },
  {
    name: 'authFetch',
    imports: { '@svc/auth-hooks': ['authFetch'] },
    platform: 'any',
    isWeighedByFile: true,
  },
  {
    name: 'selector',
    imports: { '@svc/route-auth-selector': ['createServiceRoutes'] },
    platform: 'any',
    isWeighedByFile: true,
  },
  {
    name: 'the whole service + authFetch',
    imports: { '@svc/service-auth': ['createServiceAuth', 'authFetch'] },
    platform: 'any',
    isWeighedByFile: true,
  },
  { name: 'aws4fetch', imports: { aws4fetch: ['AwsClient'] }, platform: 'browser' },
  {
    name: 'aws-sigv4-fetch',
    imports: { 'aws-sigv4-fetch': ['createSignedFetcher'] },
    platform: 'browser',
  },
  { name: 'aws4, signs only', imports: { aws4: ['default'] }, platform: 'node' },
  {
    name: '@smithy/signature-v4, signs only',
    imports: { '@smithy/signature-v4': ['SignatureV4'] },
    platform: 'browser',
  },
  {
    name: 'axios with aws4-axios',
    imports: { 'aws4-axios': ['aws4Interceptor'], axios: ['default'] },
    platform: 'node',
  },
  {
    name: '@badgateway/oauth2-client',
    imports: { '@badgateway/oauth2-client': ['OAuth2Client', 'OAuth2Fetch'] },
    platform: 'browser',
  },
  {
    name: 'openid-client',
    imports: {
      'openid-client': ['Configuration', 'clientCredentialsGrant', 'fetchProtectedResource'],
    },
    platform: 'browser',
  },
  {
    name: 'axios with axios-auth-refresh',
    imports: { 'axios-auth-refresh': ['createAuthRefresh'], axios: ['default'] },
    platform: 'browser',
  },
  {
    name: 'axios-auth-refresh, axios not counted',
    imports: { 'axios-auth-refresh': ['createAuthRefresh'] },
    without: ['axios'],
    platform: 'browser',
  },
  {
    name: 'simple-oauth2, gets tokens only',
    imports: { 'simple-oauth2': ['ClientCredentials'] },
    platform: 'node',
  },
  {
    name: '@azure/core-rest-pipeline',
    imports: {
      '@azure/core-rest-pipeline': [
        'bearerTokenAuthenticationPolicy',
        'createEmptyPipeline',
        'createDefaultHttpClient',
        'createPipelineRequest',
      ],
    },
    platform: 'browser',
  },
  {
    name: 'google-auth-library',
    imports: { 'google-auth-library': ['OAuth2Client'] },
    platform: 'node',
  },
] as const satisfies readonly Application[]

/** The name of an application. */
export type ApplicationName = (typeof applications)[number]['name']

/** An entry that a user can import, and the platform that it runs on. */
export interface Entry {
  readonly name: string
  /** `web`: on the web platform alone, so in browsers too. `peer`: only where its peer runs, with its types. */
  readonly runsOn: 'web' | 'node' | 'peer'
}

/** Every entry of the public packages. */
export const entries: readonly Entry[] = [
  { name: '@svc/types', runsOn: 'web' },
  { name: '@svc/types/schemas', runsOn: 'web' },
  { name: '@svc/auth-hooks', runsOn: 'web' },
  { name: '@svc/auth-hooks/axios', runsOn: 'web' },
  { name: '@svc/auth-hooks/got', runsOn: 'node' },
  { name: '@svc/auth-hooks/light', runsOn: 'web' },
  { name: '@svc/auth-hooks/openapi-fetch', runsOn: 'web' },
  { name: '@svc/auth-hooks/opentelemetry', runsOn: 'node' },
  { name: '@svc/auth-hooks/read-request', runsOn: 'web' },
  { name: '@svc/auth-hooks/scheme', runsOn: 'web' },
  { name: '@svc/auth-hooks/undici', runsOn: 'node' },
  { name: '@svc/auth-token', runsOn: 'web' },
  { name: '@svc/auth-token/browser-store', runsOn: 'web' },
  { name: '@svc/auth-token/file-store', runsOn: 'node' },
  { name: '@svc/auth-token/mcp', runsOn: 'web' },
  { name: '@svc/auth-token/memory-store', runsOn: 'web' },
  { name: '@svc/auth-token/oauth2', runsOn: 'web' },
  { name: '@svc/auth-token/redis-store', runsOn: 'web' },
  { name: '@svc/auth-token/secure-store', runsOn: 'web' },
  { name: '@svc/auth-token/sharing', runsOn: 'web' },
  { name: '@svc/auth-token/sign-in', runsOn: 'web' },
  { name: '@svc/auth-token/store-conformance', runsOn: 'web' },
  { name: '@svc/auth-sigv4', runsOn: 'web' },
  { name: '@svc/auth-sigv4/aws', runsOn: 'web' },
  { name: '@svc/auth-sigv4/credentials', runsOn: 'web' },
  { name: '@svc/auth-sigv4/presign', runsOn: 'web' },
  { name: '@svc/auth-sigv4/presign-post', runsOn: 'web' },
  { name: '@svc/auth-sigv4/explain', runsOn: 'web' },
  { name: '@svc/auth-sigv4/inspect', runsOn: 'web' },
  { name: '@svc/auth-sigv4/native', runsOn: 'node' },
  { name: '@svc/auth-sigv4/webcrypto', runsOn: 'web' },
  { name: '@svc/auth-sigv4/aws4', runsOn: 'node' },
  { name: '@svc/auth-sigv4/noble', runsOn: 'web' },
  { name: '@svc/auth-sigv4/diagnose', runsOn: 'web' },
  { name: '@svc/auth-sigv4/streaming', runsOn: 'web' },
  { name: '@svc/route-auth-selector', runsOn: 'web' },
  { name: '@svc/route-auth-selector/openapi', runsOn: 'web' },
  { name: '@svc/service-auth', runsOn: 'web' },
  { name: '@svc/emulator', runsOn: 'node' },
  { name: '@svc/emulator/command', runsOn: 'node' },
  { name: '@svc/emulator/msw', runsOn: 'peer' },
  { name: '@svc/emulator/playwright', runsOn: 'node' },
  { name: '@svc/emulator/verify', runsOn: 'node' },
  { name: '@svc/emulator/vitest', runsOn: 'peer' },
]

import { defaultApiKeys, defaultUsers } from '@svc/emulator'

/** The key pair of the proxies of these tests, a placeholder of the service's. */
export const placeholderKey = {
  accessKeyId: 'PROXYPLACEHOLDER',
  secretAccessKey: 'not-a-secret-of-the-proxy',
} as const

/** The secret of the proxies of these tests. */
export const proxySecret = 'not-a-secret-proxy-secret'

/** Returns the variables of a proxy for a service that takes the users and keys of the emulator. */
export function proxyEnvironment(baseUrl: string): Record<string, string> {
  const [{ username, password }] = defaultUsers
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  return {
    SVC_AUTH_BASE_URL: baseUrl,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_USERNAME: username,
    SVC_AUTH_PASSWORD: password,
    SVC_AUTH_ACCESS_KEY_ID: accessKeyId,
    SVC_AUTH_SECRET_ACCESS_KEY: secretAccessKey,
    SVC_AUTH_PROXY_SECRET: proxySecret,
    SVC_AUTH_PROXY_ACCESS_KEY_ID: placeholderKey.accessKeyId,
    SVC_AUTH_PROXY_SECRET_ACCESS_KEY: placeholderKey.secretAccessKey,
  }
}

/** Returns the flags of a proxy, with a free port unless they name a place. */
export function proxyFlags(flags: readonly string[]): readonly string[] {
  return flags.some((flag) => /^--(?:port|socket)$/.test(flag)) ? flags : ['--port', '0', ...flags]
}

import type { Fetch } from '@svc/types'
import { token } from './scripted-server.ts'

/** A request as it was sent. */
export interface Sent {
  readonly url: string
  readonly form: URLSearchParams
}

export const issuer = 'https://login.example.com'
export const resource = 'https://api.example.com/mcp'
export const addresses = {
  issuer: `${issuer}/.well-known/openid-configuration`,
  resource: 'https://api.example.com/.well-known/oauth-protected-resource/mcp',
}

/** Servers that are elsewhere, with what each address responds. A resource without a token is refused. */
export function remote(change: Readonly<Record<string, object>> = {}) {
  const sent: Sent[] = []
  const replies: Record<string, object> = {
    [addresses.resource]: { resource, authorization_servers: [issuer] },
    [addresses.issuer]: {
      issuer,
      token_endpoint: `${issuer}/token`,
      authorization_endpoint: `${issuer}/authorize`,
      device_authorization_endpoint: `${issuer}/device`,
      scopes_supported: ['openid', 'offline_access'],
    },
    [`${issuer}/device`]: {
      device_code: 'a-device-code',
      user_code: 'ABCD-EFGH',
      verification_uri: `${issuer}/enter`,
      expires_in: 600,
    },
    [`${issuer}/token`]: token(),
    [resource]: new Response(undefined, { status: 401 }),
    ...change,
  }
  const fetch: Fetch = async (input, init) => {
    const { href: url } = new URL(input instanceof Request ? input.url : input)
    sent.push({
      url,
      form: new URLSearchParams(init?.body instanceof URLSearchParams ? init.body : ''),
    })
    const reply = replies[url]
    if (reply instanceof Response) return reply.clone()
    return reply ? Response.json(reply) : new Response('', { status: 404 })
  }
  return {
    fetch,
    sent,
    replies,
    to: (url: string): Sent[] => sent.filter((one) => one.url === url),
  }
}

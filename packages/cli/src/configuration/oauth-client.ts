import type { CommandOption, Texts } from '../command.ts'
import { UsageError } from '../exit.ts'

/** The client of a service whose users sign in by OAuth, as a profile has it. No secret is part of it. */
export type OAuthClient = Texts<OAuthName>

export type OAuthName = 'issuer' | 'clientId' | 'scope' | 'audience' | 'resource'

/** The names of its settings, in the file and in the program. */
export const oauthSettings: Readonly<
  Record<'issuer' | 'client_id' | 'scope' | 'audience' | 'resource', OAuthName>
> = {
  issuer: 'issuer',
  client_id: 'clientId',
  scope: 'scope',
  audience: 'audience',
  resource: 'resource',
}

/** The flags of `profile add` for it. */
export const oauthOptions: readonly CommandOption[] = [
  {
    flags: '--issuer <url>',
    description: 'the OAuth server where users sign in; the token then goes to every path',
  },
  {
    flags: '--client-id <id>',
    description: 'the client that is registered there; without one, the server registers one',
  },
  {
    flags: '--scope <scopes>',
    description: 'the scopes to ask for, such as "openid offline_access"; else those of --resource',
  },
  { flags: '--audience <name>', description: 'the audience to ask for, as some servers want it' },
  {
    flags: '--resource <url>',
    description: 'the resource to ask for; without --issuer, its metadata tell the server',
  },
]

/** Returns the client of a profile; `undefined` if its users do not sign in by OAuth. */
export function oauthClientOf(profile: OAuthClient): OAuthClient | undefined {
  const entries = Object.values(oauthSettings).map((name) => [name, profile[name]] as const)
  const client: OAuthClient = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return client.issuer === undefined && client.resource === undefined ? undefined : client
}

/** Returns what tells the sign-ins of a client from others. The order of scopes says nothing. */
export function signInParts({
  issuer,
  clientId,
  scope,
  audience,
  resource,
}: OAuthClient): readonly (string | undefined)[] {
  const scopes = scope?.split(' ').filter(Boolean).sort().join(' ')
  return [issuer, clientId, scopes, audience, resource]
}

/** Returns what `doctor` says of a client. */
export function clientFindings({
  issuer = '',
  resource = issuer,
  scope,
}: OAuthClient): readonly (readonly [name: string, state: 'ok', text: string])[] {
  const none =
    issuer === '' ? 'those that the resource names' : 'none is asked: svc-auth profile add --scope'
  return [
    ['sign-in', 'ok', `at ${issuer || resource}`],
    ['scope', 'ok', scope ?? none],
  ]
}

/**
 * Reads the client of the flags of `profile add`.
 *
 * @throws UsageError if there is a part of it, but nothing that tells the server.
 */
export function readOAuthFlags(options: OAuthClient): OAuthClient | undefined {
  const client = oauthClientOf(options)
  const given = Object.entries(oauthSettings).find(([, name]) => options[name] !== undefined)
  if (client || !given) return client
  const flag = given[0].replace('_', '-')
  throw new UsageError(`--${flag} is for users who sign in by OAuth: give --issuer, too`)
}

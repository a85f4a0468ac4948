import type { ApiKey } from '../../credentials.ts'
import { inHome, type Section, type SharedConfig } from '../outside/config-files.ts'
import { type KeyFields, send, serviceLimits, serviceUrl, temporaryKey } from '../outside/http.ts'
import { sha } from '../outside/hash.ts'
import { Failure, type Outside, readObject } from '../outside/outside.ts'
import { currentLogin } from './cached-login.ts'
import type { Sources } from './sources.ts'

const fields: KeyFields = ['accessKeyId', 'secretAccessKey', 'sessionToken', 'expiration']

/** What a profile and its session say of the sign-in. */
interface SignIn {
  /** The command that signs in anew. */
  readonly command: string
  readonly region: string
  /** The file with the token, as `aws sso login` writes it. */
  readonly path: string
  /** `true` if the token may be renewed: that of an older profile, without a session, may not. */
  readonly isRenewable: boolean
}

/**
 * Returns the key of a role in IAM Identity Center, by the token that `aws sso login` left.
 *
 * @throws Failure that names the command, if the token is missing, over and not renewable, or refused.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-sso-credentials.html
 * @see https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
 */
export async function ssoKey(
  { outside }: Sources,
  config: SharedConfig,
  name: string,
  profile: Section,
): Promise<ApiKey> {
  const session = profile.get('sso_session')
  const settings = session === undefined ? profile : config.sessions.get(session)
  if (!settings) throw new Failure(`the config file has no [sso-session ${session}]`)
  const read = (setting: string, section: Section = settings): string => {
    const value = section.get(setting)
    if (value === undefined) throw new Failure(`${setting} is missing`)
    if ((profile.get(setting) ?? value) === value) return value
    throw new Failure(`${setting} is not the one of its sso-session`)
  }
  const startUrl = read('sso_start_url')
  const region = read('sso_region')
  const account = read('sso_account_id', profile)
  const role = read('sso_role_name', profile)
  const token = await currentToken(outside, {
    command: `aws sso login --profile ${name}`,
    region,
    path: inHome(outside, `~/.aws/sso/cache/${sha('sha1', session ?? startUrl)}.json`),
    isRenewable: session !== undefined,
  })
  const url = serviceUrl(
    outside,
    'SSO',
    region,
    `/federation/credentials?${new URLSearchParams({ role_name: role, account_id: account }).toString()}`,
    (place, suffix) => `portal.sso.${place}.${suffix}`,
  )
  const headers = { 'x-amz-sso_bearer_token': token }
  const who = 'IAM Identity Center'
  const reply = await send(outside, url, { headers }, who, serviceLimits)
  if (reply.status === 401) {
    throw new Failure(`the session is over: run aws sso login --profile ${name}`)
  }
  if (reply.status !== 200) {
    throw new Failure(`${who} refused the role ${role} of ${account}: ${reply.status}`)
  }
  const { roleCredentials } = readObject(reply.text)
  return temporaryKey(Object(roleCredentials), fields, who, reply, outside.clock())
}

async function currentToken(outside: Outside, signIn: SignIn): Promise<string> {
  const { command, isRenewable, path, region } = signIn
  const token = await currentLogin(
    outside,
    path,
    ({ accessToken: value, expiresAt }) => {
      const endsAt = Date.parse(String(expiresAt))
      return isToken(value) && Number.isFinite(endsAt) ? { value, endsAt } : undefined
    },
    isRenewable ? (document) => renewToken(outside, region, document) : undefined,
  )
  if (!token) throw new Failure(`nobody is signed in: run ${command}`)
  const now = outside.clock()
  if (token.endsAt > now) return token.value
  const [end, here] = [token.endsAt, now].map((at) => new Date(at).toISOString())
  throw new Failure(`the session expired at ${end}; it is ${here} here: run ${command}`)
}

/** Tells if a header can have it. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}

/**
 * Renews a token, and returns the file for all programs.
 *
 * @see https://docs.aws.amazon.com/singlesignon/latest/OIDCAPIReference/API_CreateToken.html
 */
async function renewToken(
  outside: Outside,
  region: string,
  document: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { clientId, clientSecret, refreshToken } = document
  const url = serviceUrl(
    outside,
    'SSO_OIDC',
    region,
    '/token',
    (place, suffix) => `oidc.${place}.${suffix}`,
  )
  const body = JSON.stringify({ clientId, clientSecret, refreshToken, grantType: 'refresh_token' })
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  // A refresh token that was used may be used up: it is sent once.
  const limits = { ...serviceLimits, attempts: 1 }
  const reply = await send(outside, url, init, 'IAM Identity Center', limits)
  if (reply.status !== 200) return undefined
  const { accessToken, expiresIn, refreshToken: next = refreshToken } = readObject(reply.text)
  const end = new Date(outside.clock() + Number(expiresIn) * 1000).toISOString()
  const expiresAt = end.replace(/\.\d+/, '')
  return { ...document, accessToken, expiresAt, refreshToken: next }
}

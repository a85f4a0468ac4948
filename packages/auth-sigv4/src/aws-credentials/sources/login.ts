import type { ApiKey } from '../../credentials.ts'
import { inHome } from '../outside/config-files.ts'
import { sha } from '../outside/hash.ts'
import { type KeyFields, send, serviceLimits, serviceUrl, temporaryKey } from '../outside/http.ts'
import { nodeModule } from '../outside/node-module.ts'
import { Failure, type Outside, readObject } from '../outside/outside.ts'
import { currentLogin } from './cached-login.ts'
import type { Sources } from './sources.ts'

const fields: KeyFields = ['accessKeyId', 'secretAccessKey', 'sessionToken', 'expiresAt']

/** The hosts of the sign-in, by the prefix of a region. */
const suffixes = { 'cn-': 'amazonaws.cn', 'us-gov-': 'amazonaws-us-gov.com' }

/**
 * Returns the key that `aws login` left for a console session, renewed as long as the session lasts. The form of the
 * file is that of `@aws-sdk/credential-provider-login`.
 *
 * @throws Failure that names the command, if there is no key, or it is over and cannot be renewed.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-login-credentials.html
 */
export async function loginKey(sources: Sources, name: string, session: string): Promise<ApiKey> {
  const { outside } = sources
  const folder = outside.variable('AWS_LOGIN_CACHE_DIRECTORY') ?? '~/.aws/login/cache'
  const path = inHome(outside, `${folder}/${sha('sha256', session)}.json`)
  const command = `run aws login --profile ${name}`
  const login = await currentLogin(
    outside,
    path,
    ({ accessToken }) => {
      const value = keyOf(outside, accessToken, 'the file of the login')
      return { value, endsAt: Number(value.expiresAt) }
    },
    (document) => renew(sources, document),
  )
  if (!login) throw new Failure(`nobody is logged in: ${command}`)
  if (login.endsAt > outside.clock()) return login.value
  throw new Failure(`the login is over: ${command}`)
}

function keyOf({ clock }: Outside, accessToken: unknown, who: string): ApiKey {
  return temporaryKey(Object(accessToken), fields, who, { headers: new Headers() }, clock())
}

/** Renews a key by the refresh token and the key pair of its login, and returns the file for all programs. */
async function renew(
  { outside, regionFor }: Sources,
  document: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { clientId, refreshToken, dpopKey, signInRegion } = document
  const region = typeof signInRegion === 'string' ? signInRegion : await regionFor(undefined)
  const url = serviceUrl(outside, 'SIGNIN', region, '/v1/token', (place) => {
    const [, suffix = 'aws.amazon.com'] =
      Object.entries(suffixes).find(([prefix]) => place.startsWith(prefix)) ?? []
    return `${place}.signin.${suffix}`
  })
  const headers = {
    'content-type': 'application/json',
    dpop: proofOfPossession(outside, url, String(dpopKey)),
  }
  const body = JSON.stringify({ clientId, refreshToken, grantType: 'refresh_token' })
  // A refresh token that was used may be used up: it is sent once.
  const limits = { ...serviceLimits, attempts: 1 }
  const init = { method: 'POST', headers, body }
  const reply = await send(outside, url, init, 'AWS Sign-In', limits)
  if (reply.status !== 200) return undefined
  const { accessToken, refreshToken: next, expiresIn = 900 } = readObject(reply.text)
  const expiresAt = new Date(outside.clock() + Number(expiresIn) * 1000).toISOString()
  const given = { ...Object(accessToken), expiresAt }
  // The halves of two keys are none: it must be whole on its own.
  keyOf(outside, given, 'AWS Sign-In')
  const key = { ...Object(document['accessToken']), ...given }
  return { ...document, accessToken: key, refreshToken: next ?? refreshToken }
}

/**
 * Returns the header `DPoP`, by the key pair of the login.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.2
 */
function proofOfPossession({ clock }: Outside, url: URL, pem: string): string {
  const { createPrivateKey, createPublicKey, randomUUID, sign } = nodeModule('crypto')
  const key = createPrivateKey(pem)
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const head = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
  const iat = Math.floor(clock() / 1000)
  const text = `${head}.${encode({ jti: randomUUID(), htm: 'POST', htu: url.href, iat })}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

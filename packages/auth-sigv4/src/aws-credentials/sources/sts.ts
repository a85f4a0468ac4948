import { defaultEngine } from '#default-engine'
import { signingDates } from '../../clock.ts'
import { type ApiKey, readApiKey } from '../../credentials.ts'
import { createCanonicalSigner, createSigner } from '../../signer.ts'
import { inHome, type Section } from '../outside/config-files.ts'
import {
  type KeyFields,
  type Reply,
  send,
  serviceLimits,
  serviceUrl,
  temporaryKey,
} from '../outside/http.ts'
import { codeOf, Failure, type Outside } from '../outside/outside.ts'
import type { Sources } from './sources.ts'

const version = '2011-06-15'
const fields: KeyFields = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration']
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * Returns the key of a role that another key may assume.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export async function assumeRole(
  sources: Sources,
  role: string,
  source: ApiKey,
  profile: Section,
): Promise<ApiKey> {
  if (profile.has('mfa_serial')) {
    throw new Failure(
      'mfa_serial needs the code of a device, which nobody is asked for: name a credential_process that does',
    )
  }
  const key = readApiKey(source)
  if (typeof key === 'string') throw new Failure(`the key that asks for the role: ${key}`)
  const { outside, clocks } = sources
  const region = await sources.regionFor(profile)
  const url = stsUrl(outside, region)
  const engine = defaultEngine()
  const sign = createSigner(
    {
      region,
      service: 'sts',
      payload: 'auto',
      signHeaders: [],
      pathEncoding: 'double',
      repeatedParameters: 'by-value',
      engine,
    },
    createCanonicalSigner(engine),
  )
  const dateOf = signingDates(region, 'sts')
  const body = form('AssumeRole', {
    RoleArn: role,
    RoleSessionName: profile.get('role_session_name') ?? sessionName(outside),
    ExternalId: profile.get('external_id'),
    DurationSeconds: profile.get('duration_seconds'),
  })
  const given = { ...formType, 'x-amz-content-sha256': await engine.hash(body) }
  const ask = async (reason: 'initial' | 'clock-skew'): Promise<Reply> => {
    const { at, review } = clocks.timeFor({ url, reason, body: undefined })
    const headers = new Headers(given)
    const unsigned = { method: 'POST', url, headers, body: undefined, attempt: 1, reason }
    const signed = await sign(unsigned, key, dateOf(at))
    for (const [name, value] of signed.headers) headers.set(name, String(value))
    const reply = await send(outside, url, { method: 'POST', headers, body }, 'STS', serviceLimits)
    return review(reply) && reason === 'initial' ? ask('clock-skew') : reply
  }
  return readKey(await ask('initial'), `AssumeRole of ${role}`, outside)
}

/** A role, and the file whose token may assume it. */
export interface WebIdentity {
  readonly tokenFile: string
  readonly role: string
  readonly session: string | undefined
}

/**
 * Returns the key of a role that a token in a file may assume, as that of a service account of EKS. Others write the
 * file anew before the token ends, so it is read each time.
 *
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
export async function webIdentityKey(
  sources: Sources,
  { tokenFile, role, session }: WebIdentity,
  profile?: Section,
): Promise<ApiKey> {
  const { outside } = sources
  let token: string
  try {
    token = new TextDecoder().decode(await outside.readFile(inHome(outside, tokenFile))).trim()
  } catch (error) {
    throw new Failure(`the file with the web identity token cannot be read (${codeOf(error)})`)
  }
  if (token === '') throw new Failure('the file with the web identity token is empty')
  const body = form('AssumeRoleWithWebIdentity', {
    RoleArn: role,
    RoleSessionName: session ?? outside.variable('AWS_ROLE_SESSION_NAME') ?? sessionName(outside),
    WebIdentityToken: token,
    DurationSeconds: profile?.get('duration_seconds'),
  })
  const url = stsUrl(outside, await sources.regionFor(profile))
  const init = { method: 'POST', headers: formType, body }
  const reply = await send(outside, url, init, 'STS', serviceLimits)
  return readKey(reply, `AssumeRoleWithWebIdentity of ${role}`, outside)
}

function stsUrl(outside: Outside, region: string): URL {
  return serviceUrl(outside, 'STS', region, '/', (name, suffix) => `sts.${name}.${suffix}`)
}

function sessionName({ clock }: Outside): string {
  return `svc-auth-${Math.floor(clock())}`
}

function form(action: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries({ Action: action, Version: version, ...parameters })
  const pairs = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return new URLSearchParams(pairs).toString()
}

/** Reads a response in XML, whose texts have nothing to unescape. */
function readKey(reply: Reply, action: string, { clock }: Outside): ApiKey {
  const read = (name: string): string | undefined =>
    new RegExp(`<${name}>([^<]*)</${name}>`).exec(reply.text)?.[1]?.trim()
  if (reply.status !== 200) {
    // The message beside the code may quote the request.
    const code = /^\w{1,64}$/.exec(read('Code') ?? '')?.[0]
    throw new Failure(`STS refused ${action}: ${reply.status}${code ? ` ${code}` : ''}`)
  }
  const document = Object.fromEntries(fields.map((name) => [name, read(name)]))
  return temporaryKey(document, fields, 'STS', reply, clock())
}

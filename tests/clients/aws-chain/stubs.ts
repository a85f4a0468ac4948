import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { verifySigV4 } from '@svc/emulator'

/** The kinds of machines, each with a metadata service of its own. */
const machines = ['imds', 'imds-v1', 'imds-off', 'imds-norole', 'imds-failed'] as const

/** The services that keys come from, on loopback. A key that they give tells in its name what was asked. */
export interface Stubs {
  /** Their origins: `origin` for all but the machines, and that of each machine by its kind. */
  readonly origins: Readonly<Record<'origin' | (typeof machines)[number], string>>
  close(): void
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '')

/** Returns a key whose name tells where it comes from, and whose secret everybody here can tell from its name. */
function keyOf(name: string) {
  return { id: name, secret: secretOf(name), token: `token-of-${name}`, end: inAnHour() }
}

/** Returns the secret of each key of these tests. */
export function secretOf(name: string): string {
  return `secret-of-${name}`
}

type Response = readonly [status: number, body: string]

async function sts(request: IncomingMessage, body: string): Promise<Response> {
  const form = new URLSearchParams(body)
  const action = form.get('Action') ?? ''
  const refuse = (code: string): Response => [
    403,
    `<ErrorResponse><Error><Code>${code}</Code><Message>a secret message</Message></Error></ErrorResponse>`,
  ]
  const session = form.get('RoleSessionName') ?? ''
  const role = form.get('RoleArn')?.split('/').at(-1) ?? ''
  const parts = [role]
  if (action === 'AssumeRole') {
    const credential = /Credential=([^,]+)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const [region = '', service = ''] = credential.split('/').slice(-3)
    if (service !== 'sts') return refuse('MissingAuthenticationToken')
    const accessKeyId = credential.split('/').slice(0, -4).join('/')
    const rawHeaders = Object.entries(request.headersDistinct).map(
      ([name, values = []]): [string, string] => [name, values.join(',')],
    )
    const target = request.url ?? ''
    const bytes = new TextEncoder().encode(body)
    const apiKeys = [
      {
        accessKeyId,
        secretAccessKey: secretOf(accessKeyId),
        ...(request.headers['x-amz-security-token'] && {
          sessionToken: `token-of-${accessKeyId}`,
        }),
      },
    ]
    const sent = { method: 'POST', target, rawHeaders, body: bytes }
    const verified = await verifySigV4(sent, { apiKeys, region, service })
    if (!verified.ok) return refuse('SignatureDoesNotMatch')
    parts.push('by', accessKeyId.replaceAll('/', '|'), 'at', region)
  } else parts.push('with', form.get('WebIdentityToken') ?? '')
  if (!/^(?:aws-sdk-js|botocore|svc-auth)-/.test(session)) parts.push('as', session)
  for (const name of ['ExternalId', 'SerialNumber']) {
    const value = form.get(name)
    if (value !== null) parts.push(name, value)
  }
  const duration = form.get('DurationSeconds')
  if (duration !== null && duration !== '3600') parts.push('for', duration)
  if (role === 'denied') return refuse('AccessDenied')
  const { id, secret, token, end } = keyOf(parts.join(':'))
  return [
    200,
    `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><AssumedRoleUser>` +
      `<Arn>arn:aws:sts::000000000000:assumed-role/${role}/app</Arn><AssumedRoleId>A:app</AssumedRoleId></AssumedRoleUser>` +
      `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey>` +
      `<SessionToken>${token}</SessionToken><Expiration>${end}</Expiration></Credentials></${action}Result></${action}Response>`,
  ]
}

function metadata(name: string, more: object = {}): Response {
  const { id, secret, token, end } = keyOf(name)
  const key = { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: end }
  return [200, JSON.stringify({ ...key, ...more })]
}

function singleSignOn(request: IncomingMessage, url: URL): Response {
  const bearer = String(request.headers['x-amz-sso_bearer_token'])
  if (['revoked', 'over', 'old', 'spent'].includes(bearer))
    return [401, '{"message":"Session token not found or invalid"}']
  const role = url.searchParams.get('role_name')
  if (role === 'forbidden') return [403, '{"message":"No access"}']
  const { id, secret, token } = keyOf(`${role}:${url.searchParams.get('account_id')}:${bearer}`)
  const expiration = Date.now() + 3_600_000
  const roleCredentials = {
    accessKeyId: id,
    secretAccessKey: secret,
    sessionToken: token,
    expiration,
  }
  return [200, JSON.stringify({ roleCredentials })]
}

function renewedToken(body: string): Response {
  const { refreshToken } = JSON.parse(body) as { refreshToken?: string }
  if (refreshToken !== 'refresh') return [400, '{"error":"invalid_grant"}']
  const renewed = { accessToken: 'renewed', expiresIn: 28_800, refreshToken: 'refresh-2' }
  return [200, JSON.stringify({ ...renewed, tokenType: 'Bearer' })]
}

function renewedLogin(request: IncomingMessage, body: string): Response {
  const { refreshToken } = JSON.parse(body) as { refreshToken?: string }
  if (refreshToken !== 'refresh' || request.headers['dpop'] === undefined) {
    return [400, '{"error":"TOKEN_EXPIRED","message":"over"}']
  }
  const { id, secret, token } = keyOf('login-renewed')
  const accessToken = { accessKeyId: id, secretAccessKey: secret, sessionToken: token }
  const more = { tokenType: 'aws_sigv4', expiresIn: 900, refreshToken: 'refresh-2' }
  return [200, JSON.stringify({ accessToken, ...more })]
}

/** The routes of instance metadata. */
function instance(kind: string, request: IncomingMessage): Response {
  if (kind === 'imds-off') return [403, '']
  if (request.url === '/latest/api/token') {
    if (kind === 'imds-v1') return [405, '']
    return request.method === 'PUT' ? [200, 'imds-token'] : [405, '']
  }
  const isKnown = request.headers['x-aws-ec2-metadata-token'] === 'imds-token'
  if (!isKnown && kind !== 'imds-v1') return [401, '']
  const roles = '/latest/meta-data/iam/security-credentials/'
  if (kind === 'imds-norole') return [404, '']
  if (request.url === roles) return [200, 'machine-role']
  if (request.url !== `${roles}machine-role`) return [404, '']
  if (kind === 'imds-failed') return [200, '{"Code":"AssumeRoleUnauthorizedAccess","Message":"x"}']
  return metadata(`machine${kind === 'imds-v1' ? '-v1' : ''}`, { Code: 'Success' })
}

function respond(request: IncomingMessage, body: string): Response | Promise<Response> {
  const url = new URL(request.url ?? '', 'http://127.0.0.1')
  const { pathname } = url
  if (pathname === '/' && request.method === 'POST') return sts(request, body)
  if (pathname === '/federation/credentials') return singleSignOn(request, url)
  if (pathname === '/token') return renewedToken(body)
  if (pathname === '/v1/token') return renewedLogin(request, body)
  if (pathname === '/container') {
    const { authorization = 'nobody' } = request.headers
    return metadata(`container:${authorization}${url.search.replace('?', ':')}`)
  }
  if (pathname === '/container-denied') return [403, '{"Code":"AccessDenied","Message":"x"}']
  if (pathname === '/container-empty') return [200, '{}']
  return [404, '']
}

/** Starts a server, and returns its origin. */
async function listen(
  answer: (request: IncomingMessage, body: string) => Response | Promise<Response>,
): Promise<{ origin: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const [status, text] = await Promise.resolve(answer(request, body)).catch(
      (error: unknown): Response => [599, String(error)],
    )
    const isJson = text.startsWith('{')
    response
      .writeHead(status, { 'content-type': isJson ? 'application/json' : 'text/xml' })
      .end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { origin: `http://127.0.0.1:${port}`, server }
}

/** Starts them. */
export async function startStubs(): Promise<Stubs> {
  const services = await listen(respond)
  const started = [services]
  const origins = [['origin', services.origin]]
  for (const kind of machines) {
    const machine = await listen((request) => instance(kind, request))
    started.push(machine)
    origins.push([kind, machine.origin])
  }
  const close = (): void => {
    for (const { server } of started) {
      server.closeAllConnections()
      server.close()
    }
  }
  return { origins: Object.fromEntries(origins) as Stubs['origins'], close }
}

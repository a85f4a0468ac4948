import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import aws4 from 'aws4'
import { AwsClient } from 'aws4fetch'
import { queryRecord, Sha256 } from './peers.ts'

/** A request as a user writes it. */
export interface UserRequest {
  readonly method?: string
  /** Path and query. */
  readonly target: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData
}

/** Signs and sends a request with `fetch` as the README of its library shows it. */
export type Client = (base: string, request: UserRequest) => Promise<Response>

const credentials = {
  accessKeyId: 'EMULATORCLIENTKEY',
  secretAccessKey: 'not-a-secret-emulator-key',
}
const region = 'us-east-1'

const ours: Client = (base, { target, ...init }) => {
  const auth = createSigV4Auth({ baseUrl: base, region, credentials })
  return authFetch(auth)(base + target, init)
}

const byAws4: Client = async (base, { target, method = 'GET', headers = {}, body }) => {
  const { host, pathname, search } = new URL(base + target)
  const signed = aws4.sign(
    {
      method,
      path: pathname + search,
      service: 's3',
      region,
      headers: { host, ...headers },
      // Given as it is: what it cannot take shows in the table.
      ...(body !== undefined && { body: body as string }),
    },
    credentials,
  )
  const { host: _host, ...sent } = signed.headers
  return fetch(base + target, { method, headers: sent, ...(body !== undefined && { body }) })
}

const byAws4Fetch: Client = (base, { target, ...init }) => {
  const client = new AwsClient({ ...credentials, service: 's3', region, retries: 0 })
  return client.fetch(new Request(base + target, init))
}

const bySmithy: Client = async (base, { target, method = 'GET', headers = {}, body }) => {
  const url = new URL(base + target)
  const signer = new SignatureV4({
    credentials,
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  })
  const request = new HttpRequest({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: queryRecord(url),
    headers: { host: url.host, ...headers },
    body,
  })
  const signed = await signer.sign(request)
  const { host: _host, ...sent } = signed.headers
  return fetch(base + target, { method, headers: sent, ...(body !== undefined && { body }) })
}

export const clients = { ours, aws4: byAws4, aws4fetch: byAws4Fetch, smithy: bySmithy }

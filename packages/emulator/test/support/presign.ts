import { createHash } from 'node:crypto'
import type { RawRequest } from '@svc/emulator'
import { signatureOf, testKey } from './sign.ts'

/** A request to presign. */
export interface PresignInput {
  readonly method?: string
  /** In its canonical form. */
  readonly path?: string
  /** If it differs from `path`. */
  readonly canonicalPath?: string
  readonly host?: string
  /** Parameters beside those of the signature, encoded; they may also replace those. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Signed beside `host`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signedHeaders?: string
  readonly payloadHash?: string
  readonly expires?: string
  readonly amzDate?: string
  readonly scopeDate?: string
  readonly region?: string
  readonly service?: string
  readonly securityToken?: string
  readonly body?: string
  readonly key?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Presigns a request. Deliberately plain, and signed whatever it says. */
export function presign(input: PresignInput = {}) {
  const {
    method = 'GET',
    path = '/V1/object',
    host = 'localhost',
    headers = {},
    payloadHash = 'UNSIGNED-PAYLOAD',
    expires = '60',
    amzDate = '20260102T030405Z',
    scopeDate = amzDate.slice(0, 8),
    region = 'us-east-1',
    service = 's3',
    key = testKey,
    body = '',
  } = input
  const all: Readonly<Record<string, string>> = { host, ...headers }
  const names = Object.keys(all).toSorted()
  const { signedHeaders = names.join(';') } = input
  const scope = `${scopeDate}/${region}/${service}/aws4_request`
  const parameters: Record<string, string> = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': encodeURIComponent(`${key.accessKeyId}/${scope}`),
    'X-Amz-Date': amzDate,
    'X-Amz-Expires': expires,
    'X-Amz-SignedHeaders': encodeURIComponent(signedHeaders),
    ...(input.securityToken === undefined
      ? {}
      : { 'X-Amz-Security-Token': encodeURIComponent(input.securityToken) }),
    ...input.parameters,
  }
  const query = Object.keys(parameters)
    .toSorted()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&')
  const lines = signedHeaders.split(';').map((name) => `${name}:${all[name] ?? ''}\n`)
  const canonicalRequest = [
    method,
    input.canonicalPath ?? path,
    query,
    lines.join(''),
    signedHeaders,
    payloadHash,
  ].join('\n')
  const hash = createHash('sha256').update(canonicalRequest, 'latin1').digest('hex')
  const stringToSign = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${hash}`
  const signature = signatureOf(key.secretAccessKey, scope, stringToSign)
  return {
    method,
    target: `${path}?${query}&X-Amz-Signature=${signature}`,
    rawHeaders: Object.entries(all),
    body: new TextEncoder().encode(body),
    canonicalRequest,
    stringToSign,
  } satisfies RawRequest & Record<string, unknown>
}

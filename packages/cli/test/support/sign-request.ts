import { createHash, createHmac } from 'node:crypto'
import { placeholderKey } from './proxy-environment.ts'

/** A request to the proxy, signed by its key pair with nothing of the project's own. */
export interface SignedRequest {
  readonly port: number
  readonly method?: string
  readonly path?: string
  /** In canonical form. */
  readonly query?: string
  readonly payloadHash?: string
  /** Sent; `x-amz-*` are signed. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly key?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly region?: string
  readonly at?: number
  /** Replaces the signature. */
  readonly signature?: string
}

/** Returns the head of a signed request. */
export function signedHead(request: SignedRequest): string {
  return sign(request).head
}

/** Returns the target of a presigned request. Only `host` is signed. */
export function presignedTarget({
  port,
  path = '/V1/a',
  query = '',
  key = placeholderKey,
  region = 'anywhere',
  at = Date.now(),
  signature: given,
}: SignedRequest): string {
  const amzDate = amzDateOf(at)
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`
  const parameters = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${key.accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${amzDate}`,
    'X-Amz-Expires=600',
    'X-Amz-SignedHeaders=host',
    ...query.split('&').filter((pair) => pair !== ''),
  ].join('&')
  const canonical = [
    'GET',
    path,
    parameters,
    `host:127.0.0.1:${port}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ]
  const toSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256(canonical.join('\n'))].join('\n')
  const signature = given ?? signatureOf(key.secretAccessKey, scope, toSign)
  return `${path}?${parameters}&X-Amz-Signature=${signature}`
}

function sign({
  port,
  method = 'GET',
  path = '/V1/a',
  query = '',
  payloadHash = sha256(''),
  headers = [],
  key = placeholderKey,
  region = 'eu-somewhere-7',
  at = Date.now(),
  signature: given,
}: SignedRequest) {
  const amzDate = amzDateOf(at)
  const lines: (readonly [string, string])[] = [
    ['host', `127.0.0.1:${port}`],
    ['x-amz-content-sha256', payloadHash],
    ['x-amz-date', amzDate],
    ...headers,
  ]
  const signed = lines.filter(([name]) => /^host$|^x-amz-/.test(name)).toSorted(byName)
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    method,
    path,
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    payloadHash,
  ].join('\n')
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', amzDate, scope, sha256(canonical)].join('\n')
  const signature = given ?? signatureOf(key.secretAccessKey, scope, toSign)
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  const all = [...lines, ['authorization', authorization], ['connection', 'close']]
  const target = query === '' ? path : `${path}?${query}`
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return { head, signature, amzDate, scope }
}

/** Returns a signed request whose body is in chunks. */
export function frameChunks({
  kind,
  chunks,
  trailers = [],
  headers = [],
  ...request
}: Omit<SignedRequest, 'payloadHash'> & {
  readonly kind: 'PAYLOAD' | 'PAYLOAD-TRAILER' | 'UNSIGNED-TRAILER'
  readonly chunks: readonly Uint8Array[]
  readonly trailers?: readonly (readonly [name: string, value: string])[]
}): { readonly head: string; readonly body: Buffer } {
  const isSigned = kind !== 'UNSIGNED-TRAILER'
  const size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const announced = trailers.map(([name]) => ['x-amz-trailer', name] as const)
  const framed = (seed: { signature: string; amzDate: string; scope: string }): Buffer => {
    let previous = seed.signature
    const next = (algorithm: string, ...hashes: string[]): string => {
      const toSign = [algorithm, seed.amzDate, seed.scope, previous, ...hashes].join('\n')
      return (previous = signatureOf(placeholderKey.secretAccessKey, seed.scope, toSign))
    }
    const pieces: (string | Uint8Array)[] = []
    for (const chunk of [...chunks, new Uint8Array()]) {
      const signature = next('AWS4-HMAC-SHA256-PAYLOAD', sha256(''), sha256(chunk))
      const extension = isSigned ? `;chunk-signature=${signature}` : ''
      pieces.push(`${chunk.byteLength.toString(16)}${extension}\r\n`)
      if (chunk.byteLength > 0) pieces.push(chunk, '\r\n')
    }
    for (const [name, value] of trailers) pieces.push(`${name}:${value}\r\n`)
    if (kind === 'PAYLOAD-TRAILER') {
      const canonical = trailers.map(([name, value]) => `${name}:${value}\n`).join('')
      const signature = next('AWS4-HMAC-SHA256-TRAILER', sha256(canonical))
      pieces.push(`x-amz-trailer-signature:${signature}\r\n`)
    }
    return Buffer.concat([...pieces, '\r\n'].map((piece) => Buffer.from(piece)))
  }
  // Its length does not depend on the signatures in it.
  const length = framed({ signature: '0'.repeat(64), amzDate: amzDateOf(0), scope: '' }).byteLength
  const seed = sign({
    method: 'PUT',
    ...request,
    payloadHash: isSigned
      ? `STREAMING-AWS4-HMAC-SHA256-${kind}`
      : 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    headers: [
      ['content-length', String(length)],
      ['x-amz-decoded-content-length', String(size)],
      ...announced,
      ...(headers.some(([name]) => name === 'content-encoding')
        ? []
        : [['content-encoding', 'aws-chunked'] as const]),
      ...headers,
    ],
  })
  return { head: seed.head, body: framed(seed) }
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1
}

function amzDateOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function signatureOf(secretAccessKey: string, scope: string, toSign: string): string {
  let digest: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
  for (const link of [...scope.split('/'), toSign]) {
    digest = createHmac('sha256', digest).update(link).digest()
  }
  return digest.toString('hex')
}

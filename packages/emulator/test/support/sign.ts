import { createHash, createHmac } from 'node:crypto'

/** A request to sign, already in its canonical form: the caller knows what the server computes. */
export interface SignInput {
  readonly method?: string
  readonly target?: string
  /** If it differs from the path of `target`. */
  readonly canonicalPath?: string
  /** If it differs from the query of `target`. */
  readonly canonicalQuery?: string
  /** Beside host, x-amz-date and x-amz-content-sha256. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Values as they are signed, if they differ from those sent. */
  readonly canonicalHeaders?: Readonly<Record<string, string>>
  readonly unsignedHeaders?: readonly (readonly [name: string, value: string])[]
  readonly host?: string
  readonly body?: string
  readonly payloadHash?: string
  /** `false` if the hash is signed but not sent, as with services other than s3. */
  readonly sendsPayloadHash?: boolean
  readonly amzDate?: string
  readonly scopeDate?: string
  readonly region?: string
  readonly service?: string
  readonly key?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** A key for tests. */
export const testKey = { accessKeyId: 'TESTKEY', secretAccessKey: 'not-a-secret-test-key' }

/** The instant at which {@link sign} signs: 20260102T030405Z. */
export const testAt: number = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Signs a request. Deliberately plain: the test gives the canonical form, nothing computes it. */
export function sign(input: SignInput = {}) {
  const {
    method = 'GET',
    target = '/V1/object',
    host = 'localhost',
    body = '',
    payloadHash = createHash('sha256').update(body).digest('hex'),
    amzDate = '20260102T030405Z',
    scopeDate = amzDate.slice(0, 8),
    region = 'us-east-1',
    service = 's3',
    key = testKey,
  } = input
  const [path = '', query = ''] = target.split('?')
  const sent: (readonly [name: string, value: string])[] = [
    ['host', host],
    ...(input.headers ?? []),
    ...(input.sendsPayloadHash === false ? [] : [['x-amz-content-sha256', payloadHash] as const]),
    ['x-amz-date', amzDate],
  ]
  const names = [...new Set(sent.map(([name]) => name.toLowerCase()))].toSorted()
  const signedHeaders = names.join(';')
  const lines = names.map((name) => {
    const values = sent.filter(([candidate]) => candidate.toLowerCase() === name)
    return `${name}:${input.canonicalHeaders?.[name] ?? values.map(([, value]) => value).join(',')}\n`
  })
  const canonicalRequest = [
    method,
    input.canonicalPath ?? path,
    input.canonicalQuery ?? query,
    lines.join(''),
    signedHeaders,
    payloadHash,
  ].join('\n')
  const scope = `${scopeDate}/${region}/${service}/aws4_request`
  const hash = createHash('sha256').update(canonicalRequest, 'latin1').digest('hex')
  const stringToSign = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${hash}`
  const signature = signatureOf(key.secretAccessKey, scope, stringToSign)
  const authorization = `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
  return {
    method,
    target,
    rawHeaders: [
      ...sent,
      ...(input.unsignedHeaders ?? []),
      ['authorization', authorization] as const,
    ],
    body: new TextEncoder().encode(body),
    canonicalRequest,
    stringToSign,
    signature,
  }
}

/** Returns the signature of a string to sign, under the key of this scope. */
export function signatureOf(secretAccessKey: string, scope: string, stringToSign: string): string {
  let digest: Buffer = Buffer.from(`AWS4${secretAccessKey}`)
  for (const link of [...scope.split('/'), stringToSign]) {
    digest = createHmac('sha256', digest).update(link, 'latin1').digest()
  }
  return digest.toString('hex')
}

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { apiKey } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, type Elements, host, read, refusal, url } from './diagnosing.ts'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'

const mismatchCode = 'SignatureDoesNotMatch'
const refuse = (CanonicalRequest: string, more: Elements = {}): Response =>
  refusal(awsXml({ Code: mismatchCode, CanonicalRequest, ...more }))

describe('a request', () => {
  test('with the authorization of another scheme is refused, as explain does', async () => {
    const init = { headers: { authorization: 'Bearer token' } }
    await expect(diagnose(exampleAuth(), refuse(''), url, init)).rejects.toMatchObject({
      code: 'ERR_AUTH_HEADER',
    })
  })

  test('whose body was used is compared with the hash that it gave', async () => {
    const headers = { 'x-amz-content-sha256': 'a'.repeat(64) }
    const request = new Request(url, { method: 'PUT', body: 'text', headers })
    const { canonicalRequest } = await explain(exampleAuth(), request)
    await request.text()
    const theirs = `${canonicalRequest.slice(0, -64)}${'b'.repeat(64)}`
    const { differences, summary } = await diagnose(exampleAuth(), refuse(theirs), request)
    expect(differences).toMatchObject([
      { line: 'payload hash', ours: 'a'.repeat(64), theirs: 'b'.repeat(64) },
    ])
    expect(summary).not.toContain('has already been used')
  })

  test('whose body was used says how to compare its hash', async () => {
    const request = new Request(url, { method: 'PUT', body: 'text' })
    const { canonicalRequest } = await explain(exampleAuth(), request)
    await request.text()
    const { summary } = await diagnose(exampleAuth(), refuse(canonicalRequest), request)
    expect(summary).toContain(
      'The body of the Request has already been used, so its payload hash cannot be compared; pass a clone of it.',
    )
  })
})

describe('a form', () => {
  const form = (): RequestInit => {
    const body = new FormData()
    body.append('name', 'value')
    return { method: 'POST', body }
  }
  const hint =
    'A form has a new boundary each time it is sent, so its payload hash cannot be compared; pass a clone of the Request that was sent.'

  test.each([
    ['another boundary', 'content-type:multipart/form-data; boundary=other\n', []],
    ['another type', 'content-type:text/plain\n', ['header content-type']],
    ['no type', '', ['header content-type', 'signed headers']],
  ])('that arrived with %s', async (_what, line, lines) => {
    const { canonicalRequest } = await explain(exampleAuth(), url, form())
    const theirs = canonicalRequest.replace(/content-type:.*\n/, line)
    const response = refuse(line === '' ? theirs.replace('content-type;', '') : theirs)
    const { differences, summary } = await diagnose(exampleAuth(), response, url, form())
    expect(differences.map((difference) => difference.line)).toEqual(lines)
    expect(summary).toContain(hint)
  })

  test('needs no canonical request of the server', async () => {
    const { verdict, summary } = await read(awsXml({ Code: 'SignatureDoesNotMatch' }), {
      init: form(),
    })
    expect(verdict).toBe('unknown')
    expect(summary).toContain(hint)
  })
})

describe('a presigned URL', () => {
  const auth = exampleAuth()
  /** Computes, as a server does, a URL that was presigned without the headers that S3 demands. */
  const computed = (signed: URL, lines: string, hash = 'UNSIGNED-PAYLOAD', method = 'PUT') => {
    const query = signed.search.slice(1).replace(/&X-Amz-Signature=.*/, '')
    const names = signed.searchParams.get('X-Amz-SignedHeaders')
    return `${method}\n${signed.pathname}\n${query}\n${lines}\n${names}\n${hash}`
  }
  const presignPut = (headers: Elements = {}) => presign(auth, url, { method: 'PUT', headers })
  const put = { method: 'PUT' }
  const another = 'This is not the URL that was presigned'

  test.each(['a'.repeat(64), 'UNSIGNED-PAYLOAD'])(
    'is compared by the hash that it tells itself: %s',
    async (hash) => {
      const telling = `${url}?X-Amz-Content-Sha256=${hash}`
      const signed = await presign(auth, telling, {
        method: 'PUT',
        headers: { 'x-amz-content-sha256': hash },
      })
      const headers = { 'x-amz-content-sha256': hash }
      const lines = `host:${host}\nx-amz-content-sha256:${hash}\n`
      const { verdict } = await diagnose(auth, refuse(computed(signed, lines, hash)), signed, {
        ...put,
        headers,
      })
      expect(verdict).toBe('secret-or-key')
      const other = new URL(signed)
      other.searchParams.set('X-Amz-SignedHeaders', 'host')
      const response = refuse(computed(other, `host:${host}\n`, hash))
      const { differences } = await diagnose(auth, response, other, put)
      expect(differences).toEqual([])
    },
  )

  test('is compared by the hash that is sent with it', async () => {
    const signed = await presignPut()
    const response = () => refuse(computed(signed, `host:${host}\n`, 'a'.repeat(64)))
    const headers = { 'x-amz-content-sha256': 'a'.repeat(64) }
    const given = await diagnose(auth, response(), signed, { ...put, headers })
    // Presigned for any body, it is another request with a hash.
    expect(given).toMatchObject({ verdict: 'canonical-request', differences: [] })
    expect(given.summary).toContain(another)
    const none = await diagnose(auth, response(), signed, put)
    expect(none.differences).toMatchObject([
      { line: 'payload hash', ours: 'UNSIGNED-PAYLOAD', theirs: 'a'.repeat(64) },
    ])
  })

  test('of another service than S3 is compared without its hash', async () => {
    const options = { service: 'es', pathEncoding: 's3' } as const
    const signed = await presign(exampleAuth(options), url, { ...put, body: 'text' })
    const diagnosed = (hash: string) =>
      diagnose(auth, refuse(computed(signed, `host:${host}\n`, hash)), signed, put)
    const hash = createHash('sha256').update('text').digest('hex')
    const { verdict, differences, summary } = await diagnosed(hash)
    expect({ verdict, differences }).toEqual({ verdict: 'secret-or-key', differences: [] })
    expect(summary).toContain('What could not be compared may differ too.')
    const other = await diagnosed('a'.repeat(64))
    expect(other).toMatchObject({ verdict: 'canonical-request', differences: [] })
    expect(other.summary).toContain(another)
    // The hash is not known where the server does not show it.
    const bare = await diagnose(auth, refusal(awsXml({ Code: mismatchCode })), signed, put)
    expect(bare.verdict).toBe('unknown')
    expect(bare.summary).not.toContain(another)
  })

  test('of another key, or of one whose secret is not known here, blames no secret', async () => {
    const other = createSigV4Auth({
      baseUrl: url,
      region: 'us-east-1',
      credentials: { ...apiKey, accessKeyId: 'AKIDOTHER' },
    })
    const signed = await presign(other, url, put)
    const response = refuse(computed(signed, `host:${host}\n`))
    const { verdict, differences, summary } = await diagnose(auth, response, signed, put)
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toContain('or the request is not as it was signed')
    expect(summary).not.toContain('so the secret is not the one')
  })

  test('in whose place another one was refused says so before the lines', async () => {
    const signed = await presignPut()
    const lines = computed(signed, `host:${host}\n`).replace('/test.txt', '/else')
    const date = { StringToSign: `AWS4-HMAC-SHA256\n${signed.searchParams.get('X-Amz-Date')}\n\n` }
    const more = { ...date, SignatureProvided: 'a'.repeat(64) }
    const { summary } = await diagnose(auth, refuse(lines, more), signed, put)
    expect(summary).toMatch(
      /^403 SignatureDoesNotMatch: The signature that arrived is not the one of this request: another one was refused\. /,
    )
  })

  test('that signs a header which signing adds misses it where it is not sent', async () => {
    const signed = await presignPut({ 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })
    const theirs = computed(signed, `host:${host}\nx-amz-content-sha256:\n`)
    const silent = await diagnose(auth, refuse(theirs), signed, put)
    expect(silent.verdict).toBe('canonical-request')
    expect(silent.differences).toMatchObject([
      { line: 'header x-amz-content-sha256', theirs: '(signed, not sent)' },
    ])
    const added = computed(signed, `host:${host}\nx-amz-content-sha256:UNSIGNED-PAYLOAD\n`)
    const { differences } = await diagnose(auth, refuse(added), signed, put)
    expect(differences).toMatchObject([
      { line: 'header x-amz-content-sha256', ours: '', theirs: 'UNSIGNED-PAYLOAD' },
    ])
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
    const sent = await diagnose(auth, refuse(added), signed, { ...put, headers })
    expect(sent).toMatchObject({ verdict: 'secret-or-key', differences: [] })
  })

  test('that signs the content type which fetch gives a body has it sent', async () => {
    const type = 'text/plain;charset=UTF-8'
    const signed = await presignPut({ 'content-type': type })
    const response = () => refuse(computed(signed, `content-type:${type}\nhost:${host}\n`))
    const init = { ...put, body: 'text' }
    for (const [input, more] of [
      [signed, init],
      [new Request(signed, init), undefined],
    ] as const) {
      const { verdict, differences } = await diagnose(auth, response(), input, more)
      expect({ verdict, differences }).toEqual({ verdict: 'secret-or-key', differences: [] })
    }
  })

  test('whose body was a stream is compared all the same', async () => {
    const signed = await presignPut()
    const body = new Blob(['text']).stream()
    await new Response(body).text()
    const init: RequestInit & { duplex: 'half' } = { ...put, body, duplex: 'half' }
    const response = refuse(computed(signed, `host:${host}\n`))
    expect(await diagnose(auth, response, signed, init)).toMatchObject({ verdict: 'secret-or-key' })
  })

  test('is compared whole, though the body of its request was used', async () => {
    const signed = await presignPut()
    const request = new Request(signed, { ...put, body: 'text' })
    await request.text()
    const response = refuse(computed(signed, `host:${host}\n`))
    const { verdict, summary } = await diagnose(auth, response, request)
    expect(verdict).toBe('secret-or-key')
    expect(summary).not.toContain('cannot be compared')
  })

  test('may have been signed with other values of its headers', async () => {
    const signed = await presignPut({ 'content-type': 'text/plain' })
    const headers = { 'content-type': 'text/html' }
    const response = refuse(computed(signed, `content-type:text/html\nhost:${host}\n`))
    const { verdict, summary } = await diagnose(auth, response, signed, { ...put, headers })
    expect(verdict).toBe('canonical-request')
    expect(summary).toContain(another)
    const bare = await presignPut()
    const other = await diagnose(auth, refuse(computed(bare, `host:${host}\n`)), bare, put)
    expect(other.verdict).toBe('secret-or-key')
    expect(other.summary).not.toContain(another)
  })

  test('is of the key, the region and the service that it names', async () => {
    const other = createSigV4Auth({
      baseUrl: url,
      region: 'eu-west-1',
      credentials: { ...apiKey, accessKeyId: 'team/key' },
    })
    const input = await presign(other, url)
    const unknown = await read(awsXml({ Code: 'InvalidAccessKeyId' }), { input })
    expect(unknown.summary).toContain('does not know the access key team/key.')
    const region = { Code: 'AuthorizationQueryParametersError', Region: 'us-east-1' }
    expect((await read(awsXml(region), { input })).differences).toMatchObject([
      { line: 'region', ours: 'eu-west-1', theirs: 'us-east-1' },
    ])
    const service = {
      Code: 'AuthorizationQueryParametersError',
      Message: 'This endpoint belongs to "es".',
    }
    expect((await read(awsXml(service), { input })).differences).toMatchObject([
      { line: 'service', ours: 's3', theirs: 'es' },
    ])
  })

  test('that lacks all but its signature is none that fails', async () => {
    const input = `${url}?X-Amz-Signature=abc`
    const Message =
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.'
    const response = awsXml({ Code: 'AuthorizationQueryParametersError', Message })
    const { verdict, differences } = await read(response, { input, status: 400 })
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
  })

  test.each([
    ['', []],
    ['host', ['header host']],
    ['not a name', ['header not a name']],
  ])('is compared by its list of headers, whatever that is: "%s"', async (names, lines) => {
    const query = names && `X-Amz-SignedHeaders=${encodeURIComponent(names)}`
    const response = refuse(`GET\n/test.txt\n${query}\n\n${names}\nhash`)
    const input = `${url}?X-Amz-Signature=abc&${query}`
    const { differences } = await diagnose(auth, response, input)
    expect(differences.map(({ line }) => line)).toEqual(lines)
  })

  test.each([
    'X-Amz-Date=today&X-Amz-Expires=60',
    'X-Amz-Date=20130524T000000Z&X-Amz-Expires=1e99',
  ])('that ends at no known instant has ended where the server says so: %s', async (parameters) => {
    const { verdict, differences, summary } = await read(
      awsXml({
        Code: 'AccessDenied',
        Message: 'Request has expired',
        ServerTime: '2013-05-25T00:00:00Z',
      }),
      { input: `${url}?${parameters}&X-Amz-SignedHeaders=host&X-Amz-Signature=abc` },
    )
    expect({ verdict, differences }).toEqual({ verdict: 'clock', differences: [] })
    expect(summary).toContain('The presigned URL has expired.')
  })
})

test('a scheme that explains otherwise is refused by name', async () => {
  const scheme = exampleAuth()
  const signerSymbol = Symbol.for('svc-auth.signer.1')
  const signer: { signRequest(...given: unknown[]): Promise<object> } = Reflect.get(
    scheme,
    signerSymbol,
  )
  const signRequest = async (...given: unknown[]) => ({
    ...(await signer.signRequest(...given)),
    canonicalRequest: '',
  })
  const auth = { ...scheme, [signerSymbol]: { ...signer, signRequest } }
  await expect(diagnose(auth, refuse(''), url)).rejects.toThrow(
    new TypeError('[@svc/auth-sigv4] diagnose: auth must sign a valid canonical request'),
  )
})

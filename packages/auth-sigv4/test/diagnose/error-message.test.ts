import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, read, refusal, url } from './diagnosing.ts'

const auth = exampleAuth({ service: 'es' })

/** The message of the services of AWS but S3, with what they would have signed. */
async function mismatch(change: (text: string) => string = (text) => text): Promise<string> {
  const { canonicalRequest, stringToSign } = await explain(auth, url)
  return (
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key ' +
    'and signing method. Consult the service documentation for details.\n\n' +
    `The Canonical String for this request should have been\n'${change(canonicalRequest)}'\n\n` +
    `The String-to-Sign should have been\n'${change(stringToSign)}'\n`
  )
}

const json = (body: object, type?: string): Response =>
  refusal(JSON.stringify(body), {
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      ...(type && { 'x-amzn-errortype': type }),
    },
  })

describe('an error in JSON', () => {
  test('is compared by what its message quotes', async () => {
    const message = await mismatch((text) => text.replace('/test.txt', '/other.txt'))
    const { verdict, differences, serverMessage } = await diagnose(auth, json({ message }), url)
    expect(verdict).toBe('canonical-request')
    expect(differences.map(({ line, ours, theirs }) => [line, ours, theirs])).toEqual([
      ['path', '/test.txt', '/other.txt'],
    ])
    expect(serverMessage).toMatch(/^The request signature we calculated .+ for details\.$/)
  })

  test.each(['Message', 'errorMessage'])('may call its message %s', async (name) => {
    const message = await mismatch((text) => text.replace('us-east-1', 'eu-west-1'))
    const { verdict, differences } = await diagnose(auth, json({ [name]: message }), url)
    expect(verdict).toBe('string-to-sign')
    expect(differences.map(({ line }) => line)).toEqual(['region'])
  })

  test('tells of the secret where both texts are ours', async () => {
    const refused = json({ message: await mismatch() }, 'InvalidSignatureException')
    const { verdict, summary } = await diagnose(auth, refused, url)
    expect(verdict).toBe('secret-or-key')
    expect(summary).toMatch(/^403 InvalidSignatureException: All lines that the server shows agree/)
  })

  test('is read where a client has parsed it', async () => {
    const data = { message: await mismatch((text) => text.replace('GET', 'POST')) }
    const { differences } = await diagnose(auth, { status: 403, headers: {}, data }, url)
    expect(differences.map(({ line }) => line)).toEqual(['method'])
  })

  test.each([
    ['com.amazon.coral.service#UnrecognizedClientException:http://a.example/', undefined],
    [undefined, 'com.amazon.coral.service#UnrecognizedClientException'],
  ])('has the code of the header %s or of its type %s', async (header, type) => {
    const body = { message: 'The security token included in the request is invalid.', __type: type }
    const { verdict, summary } = await diagnose(auth, json(body, header), url)
    expect(verdict).toBe('secret-or-key')
    expect(summary).toMatch(
      /^403 UnrecognizedClientException: The server does not know the access key/,
    )
  })

  test.each([
    [
      'InvalidSignatureException',
      'Signature expired: 20130524T000000Z is now earlier than 20130524T004500Z (20130524T010000Z - 15 min.)',
      /^This clock is 1 h behind the server's\.$/,
    ],
    [
      'SignatureDoesNotMatch',
      'Signature expired: 20130524T000000Z is now earlier than 20130524T001500Z (20130524T002000Z - 5 min.)',
      /^This clock is 20 min behind the server's\.$/,
    ],
    [
      '',
      'Signature not yet current: 20130524T010000Z is still later than 20130524T000500Z (20130524T000000Z + 5 min.)',
      /^This clock is 1 h ahead of the server's\.$/,
    ],
  ])('with the code %s tells of the clock: %s', async (code, message, meaning) => {
    const { verdict, summary } = await diagnose(
      exampleAuth({ service: 'es', clock: () => Date.UTC(2013, 4, 20) }),
      json({ message }, code),
      url,
    )
    expect(verdict).toBe('clock')
    expect(/: (.*)/.exec(summary)?.[1]).toMatch(meaning)
  })

  test('names a region that is none, and a service that is another', async () => {
    const region = await diagnose(
      auth,
      json(
        { message: "Credential should be scoped to a valid region, not 'us-east-1'. " },
        'InvalidSignatureException',
      ),
      url,
    )
    expect([region.verdict, region.summary]).toEqual([
      'region',
      expect.stringContaining("signed for the region 'us-east-1', which is none of this server"),
    ])
    const service = await diagnose(
      auth,
      json(
        { message: "Credential should be scoped to correct service: 'execute-api'. " },
        'InvalidSignatureException',
      ),
      url,
    )
    expect(service.verdict).toBe('string-to-sign')
    expect(service.differences.map(({ line, ours, theirs }) => [line, ours, theirs])).toEqual([
      ['service', 'es', 'execute-api'],
    ])
  })

  test('that is of a signature and shows no line says so', async () => {
    const refused = json({ message: 'It does not match.' }, 'InvalidSignatureException')
    const { verdict, summary } = await diagnose(auth, refused, url)
    expect(verdict).toBe('unknown')
    expect(summary).toContain('shows neither its canonical request nor its string to sign')
  })

  test('that says something else is quoted', async () => {
    const { verdict, serverMessage, summary } = await diagnose(auth, json({ message: 'No.' }), url)
    expect([verdict, serverMessage]).toEqual(['unknown', 'No.'])
    expect(summary).not.toContain('is JSON')
  })

  test.each(['[]', 'null', '"no"', '{"message":1}', '{"message":', '{"message":"\'"}'])(
    'as odd as %s causes no error',
    async (body) => {
      const response = refusal(body, { headers: { 'content-type': 'application/json' } })
      expect((await diagnose(auth, response, url)).verdict).toBe('unknown')
    },
  )
})

test('XML whose message quotes the two texts is compared by them', async () => {
  const message = await mismatch((text) => text.replace('/test.txt', '/other.txt'))
  const body = `<ErrorResponse>${awsXml({ Code: 'SignatureDoesNotMatch', Message: message }).replace(/<\?.*?\?>\s*/, '')}</ErrorResponse>`
  const { verdict, differences } = await read(body, { options: { service: 'es' } })
  expect(verdict).toBe('canonical-request')
  expect(differences.map(({ line }) => line)).toEqual(['path'])
})

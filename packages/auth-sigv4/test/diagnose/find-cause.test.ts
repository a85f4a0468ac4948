import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, type Elements, host, read, refusal, url } from './diagnosing.ts'

const note = 'The signature that arrived is'

/** Diagnoses the response of a server that shows this much. */
const mismatch = (elements: Elements): string =>
  awsXml({ Code: 'SignatureDoesNotMatch', ...elements })

describe('lines that differ', () => {
  test('are said to be of the canonical request, and nothing more than is known', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const { summary } = await read(
      mismatch({ CanonicalRequest: canonicalRequest.replace('GET', 'PUT') }),
    )
    expect(summary)
      .toBe(`403 SignatureDoesNotMatch: The server computed a different canonical request.

method
  ours:   GET
  theirs: PUT
  It was sent with PUT: pass its init.`)
  })

  test('are told with the signature that arrived, as far as it can be computed here', async () => {
    const { canonicalRequest, signature } = await explain(exampleAuth(), url)
    const CanonicalRequest = canonicalRequest.replace(host, 'h')
    const summaryOf = async (elements: Elements) => (await read(mismatch(elements))).summary
    expect(await summaryOf({ CanonicalRequest, SignatureProvided: `\n ${signature}\n` })).toContain(
      `${note} the one computed here, so the difference arose on the way or in the server.`,
    )
    expect(await summaryOf({ CanonicalRequest, SignatureProvided: 'b'.repeat(64) })).toContain(
      `${note} not the one computed here, so the request or the key given here is not the one that was used.`,
    )
    expect(await summaryOf({ CanonicalRequest, SignatureProvided: ' ' })).not.toContain(note)
    const undated = CanonicalRequest.replace(/\nx-amz-date:.*/, '')
    expect(
      await summaryOf({ CanonicalRequest: undated, SignatureProvided: signature }),
    ).not.toContain(note)
  })

  test('stand behind the word that they are of another request than the one that was sent', async () => {
    const auth = exampleAuth()
    const init = { method: 'PUT', body: 'text', headers: { 'x-amz-meta-a': '1' } }
    const { canonicalRequest: CanonicalRequest, signature } = await explain(auth, url, init)
    const response = (): Response =>
      refusal(mismatch({ CanonicalRequest, SignatureProvided: signature }))
    const { summary, differences } = await diagnose(auth, response(), url)
    expect(summary).toMatch(
      new RegExp(
        `^403 SignatureDoesNotMatch: ${note} not the one computed here, so the request or `,
      ),
    )
    expect(summary.split(note)).toHaveLength(2)
    expect(differences[0]).toMatchObject({ hint: 'It was sent with PUT: pass its init.' })
    const whole = await diagnose(auth, response(), url, init)
    expect(whole.verdict).toBe('secret-or-key')
  })

  test('of the hash alone say that the canonical requests differ', async () => {
    const { stringToSign } = await explain(exampleAuth(), url)
    const { verdict, summary } = await read(
      mismatch({ StringToSign: `${stringToSign.slice(0, -4)}0000` }),
    )
    expect(verdict).toBe('canonical-request')
    expect(summary).toContain('computed a different canonical request, but does not show it.')
  })

  test('of the string to sign say that the canonical requests agree, where both are known', async () => {
    const { stringToSign } = await explain(exampleAuth(), url)
    const { verdict, summary, differences } = await read(
      mismatch({ StringToSign: stringToSign.replace('us-east-1', 'eu-west-1') }),
    )
    expect(verdict).toBe('string-to-sign')
    expect(differences.map(({ line }) => line)).toEqual(['region'])
    expect(summary).toContain('The canonical requests agree, but the strings to sign do not.')
  })

  test('of the string to sign of a presigned URL say nothing of a canonical request that nobody shows', async () => {
    const auth = exampleAuth()
    const { stringToSign } = await explain(auth, url)
    const body = mismatch({ StringToSign: stringToSign.replace('us-east-1', 'eu-west-1') })
    const { verdict, summary } = await diagnose(auth, refusal(body), await presign(auth, url))
    expect(verdict).toBe('string-to-sign')
    expect(summary).toContain('403 SignatureDoesNotMatch: The strings to sign differ.')
  })

  test('are none where the server shows no string to sign that is one', async () => {
    const { verdict, differences, summary } = await read(mismatch({ StringToSign: 'text' }))
    expect({ verdict, differences }).toEqual({ verdict: 'unknown', differences: [] })
    expect(summary).toContain(
      'The string to sign that the server shows is invalid, and nothing else',
    )
  })
})

describe('headers that a presigned URL is signed with', () => {
  test('and that are not sent are named', async () => {
    const auth = exampleAuth()
    const signed = await presign(auth, url, { headers: { 'x-custom': 'a' } })
    const names = 'host;x-custom'
    const query = signed.search.slice(1).replace(/&X-Amz-Signature=\w+/, '')
    const CanonicalRequest = `GET\n/test.txt\n${query.split('&').sort().join('&')}\nhost:${host}\nx-custom:\n\n${names}\nUNSIGNED-PAYLOAD`
    const { verdict, differences, summary } = await diagnose(
      auth,
      refusal(mismatch({ CanonicalRequest })),
      signed,
    )
    expect(verdict).toBe('canonical-request')
    expect(summary).toContain('The URL was signed with headers that the request does not send.')
    expect(differences).toEqual([
      {
        line: 'header x-custom',
        ours: '',
        theirs: '(signed, not sent)',
        hint: 'Send x-custom with the value it had when the URL was signed.',
      },
    ])
  })
})

describe('a denial', () => {
  test('for headers that are not signed names them', async () => {
    const { verdict, differences, summary } = await read(
      awsXml({ Code: 'AccessDenied', HeadersNotSigned: ' X-Amz-Trace,, x-amz-b ' }),
    )
    expect(verdict).toBe('canonical-request')
    expect(summary).toContain('arrived with headers that must be signed but are not.')
    const [trace, b] = differences
    expect(differences).toHaveLength(2)
    expect(trace).toMatchObject({ line: 'header x-amz-trace', theirs: '(present, not signed)' })
    expect(b).toMatchObject({ line: 'header x-amz-b', ours: '' })
  })

  test('names no region, though the bucket has another one', async () => {
    const headers = { 'x-amz-bucket-region': 'eu-west-1' }
    const { verdict } = await read(awsXml({ Code: 'AccessDenied' }), { headers })
    expect(verdict).toBe('unknown')
  })
})

describe('a refusal for another reason', () => {
  const said = 'This error does not say how the signature was computed.'

  test('is quoted to a length for people', async () => {
    const { summary } = await read(awsXml({ Code: 'Other', Message: 'm'.repeat(1000) }))
    expect(summary).toBe(`403 Other: ${said}\n\nThe server says: ${'m'.repeat(300)}`)
  })

  test('is not quoted where it says nothing', async () => {
    const { summary } = await read(awsXml({ Code: 'Other', Message: ' ' }))
    expect(summary).toBe(`403 Other: ${said}`)
  })

  test.each(['constructor', '__proto__', 'toString'])('may be named %s', async (Code) => {
    expect((await read(awsXml({ Code }))).summary).toBe(`403 ${Code}: ${said}`)
  })
})

describe('a header that the server wants', () => {
  const Message = 'Missing required header for this request: x-amz-content-sha256'

  test('is named, with what is sent for it here', async () => {
    const { verdict, differences, summary } = await read(
      awsXml({ Code: 'InvalidRequest', Message }),
    )
    const { payloadHash } = await explain(exampleAuth(), url)
    expect(verdict).toBe('canonical-request')
    expect(differences).toEqual([
      {
        line: 'header x-amz-content-sha256',
        ours: payloadHash,
        theirs: '(required)',
        hint: 'Send and sign x-amz-content-sha256; if it was sent, something on the way drops it.',
      },
    ])
    expect(summary).toMatch(
      /The server wants the header x-amz-content-sha256, which did not arrive\./,
    )
  })

  test('and that other services than S3 do not take is named with the option service', async () => {
    const { differences } = await read(awsXml({ Code: 'InvalidRequest', Message }), {
      options: { service: 'minio' },
    })
    expect(differences).toMatchObject([
      {
        ours: '',
        hint: expect.stringMatching(
          /signed for the service 'minio': give the option service: 's3'/,
        ),
      },
    ])
  })

  test('has no value that is secret', async () => {
    const credentials = {
      accessKeyId: 'AKID',
      secretAccessKey: 's',
      sessionToken: 'hidden-token-of-a-session',
    }
    const body = awsXml({
      Code: 'InvalidRequest',
      Message: 'missing required header: X-Amz-Security-Token',
    })
    const diagnosis = await read(body, { options: { credentials } })
    expect(diagnosis.verdict).toBe('canonical-request')
    expect(JSON.stringify(diagnosis)).not.toContain('hidden-token')
  })

  test('is not looked for in another invalid request', async () => {
    const body = awsXml({ Code: 'InvalidRequest', Message: 'The checksum is wrong.' })
    expect((await read(body)).verdict).toBe('unknown')
  })
})

import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { describe, expect, test } from 'vitest'
import { apiKey } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, type Elements, read, refusal, url } from './diagnosing.ts'

const causes =
  'Usual causes: a secret that lost or gained characters when it was copied (spaces, a line break, a quote), the secret of another key, or the key of another environment.'
const agree = `403 SignatureDoesNotMatch: All lines that the server shows agree, so the secret is not the one that the server has for ${apiKey.accessKeyId}.`

/** A response whose lines are all ours. */
async function agreeing(elements: Elements = {}): Promise<string> {
  const { canonicalRequest, stringToSign } = await explain(exampleAuth(), url)
  return awsXml({
    Code: 'SignatureDoesNotMatch',
    CanonicalRequest: canonicalRequest,
    StringToSign: stringToSign,
    ...elements,
  })
}

describe('a wrong secret', () => {
  test('is what is left, and its usual causes are told', async () => {
    expect(await read(await agreeing())).toEqual({
      verdict: 'secret-or-key',
      differences: [],
      summary: `${agree}\n\n${causes}`,
    })
  })

  test('leaves what the server does not show', async () => {
    const { canonicalRequest } = await explain(exampleAuth(), url)
    const body = awsXml({ Code: 'SignatureDoesNotMatch', CanonicalRequest: canonicalRequest })
    const { summary } = await read(body)
    expect(summary).toBe(
      `${agree}\n\n${causes}\nThe server shows no string to sign, so region and service are not compared.`,
    )
  })

  test('leaves what cannot be compared', async () => {
    const used = new Request(url, { method: 'PUT', body: 'text' })
    const { canonicalRequest } = await explain(exampleAuth(), used)
    await used.text()
    const { summary } = await diagnose(
      exampleAuth(),
      refusal(awsXml({ Code: 'SignatureDoesNotMatch', CanonicalRequest: canonicalRequest })),
      used,
    )
    expect(summary).toContain('What could not be compared may differ too.')
  })

  test('was not the one of the signature that arrived, where that is another one', async () => {
    const { signature } = await explain(exampleAuth(), url)
    const same = await read(await agreeing({ SignatureProvided: `\n${signature}\n` }))
    expect(same.differences).toEqual([])
    const other = await read(await agreeing({ SignatureProvided: `\n${'0'.repeat(64)}\n` }))
    expect(same.summary).toContain('so the secret is not the one that the server has')
    expect(other.summary).toContain(
      'All lines that the server shows agree, but this secret does not give the signature of the request: another one signed it, or it was changed.',
    )
    expect(other.summary).not.toContain('so the secret is not the one that the server has')
    expect(other.summary).not.toContain('Usual causes')
    expect(other.differences).toEqual([
      {
        line: 'signature',
        ours: `${signature.slice(0, 4)}… (64 characters)`,
        theirs: '0000… (64 characters)',
        hint: 'The request was changed after it was signed, or signed with a different secret than the one in use here now: the credentials have changed since, or something else signed it.',
      },
    ])
  })
})

describe('an access key', () => {
  test('that is another one by now is told', async () => {
    const same = await read(await agreeing({ AWSAccessKeyId: `\n${apiKey.accessKeyId}\n` }))
    expect(same.differences).toEqual([])
    const other = await read(await agreeing({ AWSAccessKeyId: '\nAKIDOTHER\n' }))
    expect(other.differences).toEqual([
      {
        line: 'access key',
        ours: apiKey.accessKeyId,
        theirs: 'AKIDOTHER',
        hint: 'The request was signed with a different access key than the one in use here now.',
      },
    ])
  })

  test.each([
    ['as it is here', {}, apiKey.accessKeyId],
    [
      'as it is here, where the server leaves it empty',
      { AWSAccessKeyId: ' ' },
      apiKey.accessKeyId,
    ],
    ['as the server has it', { AWSAccessKeyId: '\nAKIDOTHER\n' }, 'AKIDOTHER'],
  ])('that the server does not know is named %s', async (_how, elements, name) => {
    const { verdict, summary } = await read(awsXml({ Code: 'InvalidAccessKeyId', ...elements }))
    expect(verdict).toBe('secret-or-key')
    expect(summary).toContain(`The server does not know the access key ${name}.`)
    expect(summary).toContain(
      'It is misspelled, deleted or disabled, or it is the key of another environment.',
    )
  })

  test('with slashes is named whole', async () => {
    const options = { credentials: { ...apiKey, accessKeyId: 'team/one/key' } }
    const { summary } = await read(awsXml({ Code: 'InvalidAccessKeyId' }), { options })
    expect(summary).toContain('The server does not know the access key team/one/key.')
  })
})

describe('a session token', () => {
  test('that has ended has to be fetched anew', async () => {
    expect((await read(awsXml({ Code: 'ExpiredToken' }))).summary).toBe(
      `403 ExpiredToken: The session token of ${apiKey.accessKeyId} has expired: get new temporary credentials.

Pass credentials as a function that returns expiresAt, and they are renewed ahead of time.`,
    )
  })

  test('that the server does not take may be of another key', async () => {
    expect((await read(awsXml({ Code: 'InvalidToken' }))).summary).toBe(
      `403 InvalidToken: The server does not accept the session token of ${apiKey.accessKeyId}, or expects one and got none.

Key, secret and session token belong together; a key that is not temporary has no token.`,
    )
  })
})

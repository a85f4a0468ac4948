import type { SigV4AuthOptions } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { apiKey, signedAt } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'

/** The URL that is asked for, unless another is. */
export const url = 'https://examplebucket.s3.amazonaws.com/test.txt'
export const host = 'examplebucket.s3.amazonaws.com'

/** The elements of a response, with their text. */
export type Elements = Readonly<Record<string, string>>

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function hex(text: string): string {
  return Buffer.from(text, 'latin1')
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')
}

/** Writes an error as Amazon S3, and what is made after it, does. */
export function awsXml(elements: Elements): string {
  const content = Object.entries(elements).map(
    ([name, text]) => `<${name}>${escape(text)}</${name}>`,
  )
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join('')}` +
    '<RequestId>4442587FB7D0A2F9</RequestId><HostId>host-id</HostId></Error>'
  )
}

export function refusal(
  body: ConstructorParameters<typeof Response>[0],
  init: ResponseInit = {},
): Response {
  return new Response(body, {
    status: 403,
    headers: { 'content-type': 'application/xml', date: new Date(signedAt).toUTCString() },
    ...init,
  })
}

/** Diagnoses a refusal with this body. */
export const read = (
  body: ConstructorParameters<typeof Response>[0],
  {
    options = {},
    init,
    input = url,
    ...responseInit
  }: ResponseInit & {
    options?: Partial<SigV4AuthOptions>
    init?: RequestInit
    input?: string | URL
  } = {},
) => diagnose(exampleAuth(options), refusal(body, responseInit), input, init)

/** Diagnoses the response of a server that computes the lines given here. */
export async function mismatch(
  change: (canonicalRequest: string) => string,
  {
    options,
    init,
    input = url,
    isText = false,
  }: {
    options?: Partial<SigV4AuthOptions>
    init?: RequestInit
    input?: string
    isText?: boolean
  } = {},
) {
  const auth = exampleAuth(options)
  const { canonicalRequest, stringToSign, signature } = await explain(auth, input, init)
  const theirs = change(canonicalRequest)
  const body = awsXml({
    Code: 'SignatureDoesNotMatch',
    Message: 'The request signature we calculated does not match the signature you provided.',
    AWSAccessKeyId: apiKey.accessKeyId,
    StringToSign: stringToSign,
    SignatureProvided: signature,
    StringToSignBytes: hex(stringToSign),
    CanonicalRequest: theirs,
    ...(!isText && { CanonicalRequestBytes: hex(theirs) }),
  })
  return diagnose(auth, refusal(body), input, init)
}

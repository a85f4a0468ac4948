import type { Entered } from './state.ts'

const scope = '20130524/us-east-1/s3/aws4_request'

// The key of AWS's own examples, which is no key.
const key = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
  region: '',
  service: '',
}

const refused = `GET /reports/Q1%2BQ2.csv?partNumber=1 HTTP/1.1
Host: examplebucket.s3.amazonaws.com
X-Amz-Date: 20130524T000000Z
X-Amz-Content-Sha256: UNSIGNED-PAYLOAD
Authorization: AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=SIGNATURE
`

const refusal = `HTTP/1.1 403 Forbidden
Date: Fri, 24 May 2013 00:00:01 GMT
Content-Type: application/xml

<?xml version="1.0" encoding="UTF-8"?>
<Error>
  <Code>SignatureDoesNotMatch</Code>
  <Message>The request signature we calculated does not match the signature you provided. Check your key and signing method.</Message>
  <AWSAccessKeyId>${key.accessKeyId}</AWSAccessKeyId>
  <SignatureProvided>SIGNATURE</SignatureProvided>
  <CanonicalRequest>GET
/reports/Q1%20Q2.csv
partNumber=1
host:examplebucket.s3.amazonaws.com
x-amz-content-sha256:UNSIGNED-PAYLOAD
x-amz-date:20130524T000000Z

host;x-amz-content-sha256;x-amz-date
UNSIGNED-PAYLOAD</CanonicalRequest>
</Error>
`

/** The signature that the key gives for the request, as it was sent. */
const refusedSignature = '6fde641965d73339f172a370590f9d2abbc018048659b4cb8999b4910ce7a125'

const presigned = `https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${key.accessKeyId}%2F${encodeURIComponent(scope)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`

function curl(): string {
  return `curl 'https://examplebucket.s3.amazonaws.com/?list-type=2&prefix=a%20b' \\
  --aws-sigv4 'aws:amz:us-east-1:s3' --user '${key.accessKeyId}:${key.secretAccessKey}' \\
  -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD'`
}

function token(now: number): string {
  const part = (value: object): string =>
    btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  const iat = Math.floor(now / 1000) - 600
  const claims = { iss: 'search.example.com', sub: 'reader@example.com', iat, exp: iat + 3600 }
  return `Authorization: Bearer ${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`
}

/** A demonstration, which a visitor sees at once. */
export interface Example {
  readonly name: string
  readonly fill: (now: number) => Partial<Entered>
}

/** The demonstrations of the page. */
export const examples: readonly Example[] = [
  {
    name: 'a refused request',
    fill: () => ({
      text: refused.replace('SIGNATURE', refusedSignature),
      response: refusal.replace('SIGNATURE', refusedSignature),
      key,
    }),
  },
  { name: 'a presigned URL', fill: () => ({ text: presigned, key }) },
  { name: 'a curl command', fill: () => ({ text: curl() }) },
  { name: 'a token', fill: (now) => ({ text: token(now) }) },
]

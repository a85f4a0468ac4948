import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { hideSecrets, listSteps, readResponse, redact, stepClauses } from '@svc/auth-sigv4/inspect'
import { expect, test } from 'vitest'
import { exampleAuth } from '../support/signing.ts'

const url = 'https://examplebucket.s3.amazonaws.com/a?b=c'

test('every line of an explanation has a name and a clause', async () => {
  const explanation = await explain(exampleAuth(), url, { headers: { range: 'bytes=0-9' } })
  const steps = listSteps(explanation)
  const [request, toSign, key, signature] = steps
  expect(request?.lines.map(({ line }) => line)).toEqual([
    'method',
    'path',
    'query',
    'header host',
    'header range',
    'header x-amz-content-sha256',
    'header x-amz-date',
    '',
    'signed headers',
    'payload hash',
  ])
  expect(request?.lines.map(({ text }) => text).join('\n')).toBe(explanation.canonicalRequest)
  expect(toSign?.lines.map(({ text }) => text).join('\n')).toBe(explanation.stringToSign)
  expect(key?.lines).toHaveLength(4)
  expect(signature?.lines[0]?.text).toBe(explanation.signature)
  const clauses = steps.flatMap(({ lines }) => lines.map(({ clause }) => clause))
  expect(clauses.every((clause) => stepClauses.includes(clause))).toBe(true)
})

test('the path of another service is named as it is signed', () => {
  const canonicalRequest = 'GET\n/a%2520b\n\nhost:a\n\nhost\nUNSIGNED-PAYLOAD'
  const [request] = listSteps({
    canonicalRequest,
    stringToSign: 'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/es/aws4_request\n',
    signature: '',
  })
  expect(request?.lines[1]?.name).toBe('path, as sent and encoded once more')
  expect(request?.lines.at(-1)?.name).toBe('in place of a hash of the body')
})

test('a saved response is read after those before it, and given to a diagnosis', async () => {
  const {
    status = 0,
    headers,
    body,
  } = readResponse(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/2 403\r\nX-Amz-Bucket-Region: eu-west-1 \r\n\r\n<Error/>',
  )
  expect({ status, ...headers, body }).toEqual({
    status: 403,
    'x-amz-bucket-region': 'eu-west-1',
    body: '<Error/>',
  })
  const refusal = { response: { status, headers }, data: body }
  expect((await diagnose(exampleAuth(), refusal, url)).verdict).toBe('region')
  expect(readResponse('<Error/>')).toEqual({ status: undefined, headers: {}, body: '<Error/>' })
})

test('the value of a secret name is shortened, and wherever it is quoted', () => {
  expect(redact('X-Amz-Security-Token', 'a'.repeat(40))).toBe('aaaa… (40 characters)')
  expect(redact('host', 'a.example')).toBe('a.example')
  expect(hideSecrets(['correct horse'])('a=correct+horse')).toBe('a=… (13 characters)')
})

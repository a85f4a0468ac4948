import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import {
  hasObjectStore,
  type ObjectStore,
  startObjectStore,
} from '../../../../tests/support/object-store.ts'
import { hasBotocore, signatureOf, signWithBotocore } from '../oracle/botocore.ts'

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Paths and queries in the form in which a program may write them; botocore signs them as they stand. */
const paths = [
  '/a%20b',
  '/a+b',
  '/a%2Fb',
  '/a%2fb',
  '/a//b',
  '/%C3%BC',
  '/%',
  "/a'b",
  '/a(b)',
  '/a!b',
  '/%7E',
  '/a:b',
  '/a=b',
  '/%41',
]
const queries = [
  '',
  '?a',
  '?a=',
  '?b=1&a=2',
  '?a=2&a=1',
  '?a=b+c',
  '?a=b%20c',
  '?a=%2f',
  '?a=%2F',
  '?a=/',
  '?a=b=c',
  '?A=1&a=2&B=3',
  '?a=~',
  '?a=%7E',
  "?a='",
  '?&a=1&&b=2',
  '?a=%',
  '?=x',
  '?a-b=1&a=2',
]

describe.runIf(isNightly && hasObjectStore() && hasBotocore())('Swift with s3api', () => {
  let store: ObjectStore
  beforeAll(async () => {
    store = await startObjectStore()
  }, 60_000)
  afterAll(() => store.stop())

  // A request that is signed as it was written may be one that no store accepts: its signature is for another form.
  test('refuses the signatures by botocore that explain does not give, and no others', async () => {
    const { url: baseUrl, region, accessKeyId, secretAccessKey } = store
    const credentials = { accessKeyId, secretAccessKey }
    const options = { baseUrl, region, credentials, repeatedParameters: 'wire-order' } as const
    const auth = createSigV4Auth(options)
    expect((await authFetch(auth, { baseUrl })('/bucket', { method: 'PUT' })).status).toBe(200)
    const at = Math.floor(Date.now() / 1000) * 1000
    const amzDate = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
    const targets = [
      ...paths.map((path) => `/bucket${path}`),
      ...queries.flatMap((query) => [`/bucket/${query}`, `/bucket/x${query}`]),
    ]
    const signed = await signWithBotocore(
      targets.map((target) => ({
        ...credentials,
        region,
        service: 's3',
        isPayloadSigned: true,
        amzDate,
        method: 'GET',
        headers: {},
        body: '',
        url: baseUrl + target,
      })),
    )
    const outcomes = await Promise.all(
      targets.map(async (target, index) => {
        const authorization = signed[index] ?? ''
        const headers = { 'x-amz-content-sha256': emptyHash }
        const { signature } = await explain(auth, baseUrl + target, { headers }, { at })
        const lines = [`x-amz-date: ${amzDate}`, `x-amz-content-sha256: ${emptyHash}`]
        const response = await sendAsWritten(baseUrl, target, [
          ...lines,
          `authorization: ${authorization}`,
        ])
        const isRefused = response.includes('<Code>SignatureDoesNotMatch</Code>')
        return { target, isRefused, isOther: signature !== signatureOf(authorization) }
      }),
    )
    expect(outcomes.filter(({ isRefused, isOther }) => isRefused !== isOther)).toEqual([])
    expect(outcomes.filter(({ isOther }) => isOther).length).toBeGreaterThan(20)
    expect(outcomes.filter(({ isOther }) => !isOther).length).toBeGreaterThan(20)
  })
})

/** Sends a GET whose target no parser of URLs has touched, and returns the response. */
async function sendAsWritten(
  baseUrl: string,
  target: string,
  lines: readonly string[],
): Promise<string> {
  const { host, hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  const head = [`GET ${target} HTTP/1.1`, `host: ${host}`, ...lines, 'connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

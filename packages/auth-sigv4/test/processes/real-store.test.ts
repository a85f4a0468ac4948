import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { authFetch, createSigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { presign, type PresignOptions } from '@svc/auth-sigv4/presign'
import { streaming, type StreamingPayload } from '@svc/auth-sigv4/streaming'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import {
  type ObjectStore,
  type ObjectStoreKind,
  objectStores,
} from '../../../../tests/support/object-store.ts'
import { hasBotocore, signatureOf, signWithBotocore } from '../oracle/botocore.ts'
import { acceptedForms, type Bucket, postForm, refusedForms } from '../support/presigned-posts.ts'

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

// Each character that is printable in ASCII, and some that take more than a byte.
const printable = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index))
const keys = [...printable.map((one) => `a${one}b`), 'ünï/你好/😀']
const pathOf = (key: string): string => key.split('/').map(encodeURIComponent).join('/')

describe.each(objectStores)('$name', (kind) => {
  describe.runIf(isNightly && kind.isInstalled())('as a judge', () => {
    describeStore(kind)
  })
})

function describeStore(kind: ObjectStoreKind): void {
  let store: ObjectStore
  beforeAll(async () => {
    store = await kind.start()
  }, 60_000)
  afterAll(() => store.stop())

  const schemeFor = (options: Partial<SigV4AuthOptions> = {}) => {
    const { url: baseUrl, region, accessKeyId, secretAccessKey } = store
    const credentials = { accessKeyId, secretAccessKey }
    return createSigV4Auth({ baseUrl, region, credentials, ...options })
  }
  let buckets = 0
  const createBucket = async (): Promise<Bucket> => {
    const { url: baseUrl, accessKeyId, secretAccessKey } = store
    const path = `/bucket-${(buckets += 1)}`
    const created = await authFetch(schemeFor())(baseUrl + path, { method: 'PUT' })
    expect(created.status).toBe(200)
    return { baseUrl, path, credentials: { accessKeyId, secretAccessKey } }
  }

  // A request that is signed as it was written may be one that no store accepts: its signature is for another form.
  test.runIf(isNightly && hasBotocore())(
    'refuses the signatures by botocore that explain does not give, and no others',
    async () => {
      const { baseUrl, path: bucket, credentials } = await createBucket()
      const { region } = store
      const auth = schemeFor({ repeatedParameters: 'wire-order' })
      const at = Math.floor(Date.now() / 1000) * 1000
      const amzDate = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
      const targets = [
        ...paths.map((path) => `${bucket}${path}`),
        ...queries.flatMap((query) => [`${bucket}/${query}`, `${bucket}/x${query}`]),
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
    },
  )

  test('takes a link to put each key, and a link to get it', async () => {
    const { baseUrl, path } = await createBucket()
    const outcomes = await Promise.all(
      keys.map(async (key) => {
        const url = `${baseUrl}${path}/${pathOf(key)}`
        const put = await presign(schemeFor(), url, { method: 'PUT' })
        const { status } = await fetch(put, { method: 'PUT', body: key })
        const read = await fetch(await presign(schemeFor(), url))
        return [key, status, read.status, await read.text()]
      }),
    )
    expect(outcomes).toEqual(keys.map((key) => [key, 200, 200, key]))
  })

  test('takes a link only as it was signed, until it expires', async () => {
    const { baseUrl, path } = await createBucket()
    const url = `${baseUrl}${path}/a%20b`
    const link = (options?: PresignOptions, ageMs = 0) =>
      presign(schemeFor({ clock: () => Date.now() - ageMs }), url, options)
    const statusOf = async (target: URL, init?: RequestInit) => (await fetch(target, init)).status
    const changed = (target: URL, name: string): URL => {
      target.searchParams.set(name, '1')
      return target
    }

    const method = 'PUT'
    const headers = { 'content-type': 'text/csv' }
    const put = await link({ method, headers })
    const other = { 'content-type': 'text/html' }
    expect(await statusOf(put, { method, body: 'a', headers: other })).toBe(403)
    expect(await statusOf(await link())).toBe(404)
    expect(await statusOf(put, { method, body: 'a,b', headers })).toBe(200)

    const get = await link()
    expect(await (await fetch(get)).text()).toBe('a,b')
    expect(await statusOf(get, { method: 'DELETE' })).toBe(403)
    expect(await statusOf(new URL(get.href.replace('a%20b', 'c')))).toBe(403)
    for (const name of ['x', 'X-Amz-Expires']) {
      expect(await statusOf(changed(await link(), name))).toBe(403)
    }
    expect(await statusOf(await link({ expiresInSeconds: 600 }, 590_000))).toBe(200)
    expect(await statusOf(await link({ expiresInSeconds: 600 }, 610_000))).toBe(403)
  })

  const body = randomBytes(200_000)
  const streamed = async (payload: StreamingPayload, inner?: typeof fetch) => {
    const { baseUrl, path } = await createBucket()
    const send = authFetch(schemeFor({ payload }), { fetch: inner })
    const response = await send(`${baseUrl}${path}/k`, { method: 'PUT', body })
    const error = await response.text()
    const read = await authFetch(schemeFor())(`${baseUrl}${path}/k`)
    const stored = Buffer.from(await read.arrayBuffer())
    return { status: response.status, error, isStored: read.ok && stored.equals(body) }
  }

  test.runIf(kind.takesSignedChunks)('takes signed chunks, none of them changed', async () => {
    expect(await streamed(streaming())).toEqual({ status: 200, error: '', isStored: true })
    const change: typeof fetch = async (input, init) => {
      const sent = Buffer.from(await new Response(init?.body).arrayBuffer())
      sent.writeUInt8(sent.readUInt8(150_000) ^ 1, 150_000)
      return fetch(input, { ...init, body: sent })
    }
    expect(await streamed(streaming(), change)).toMatchObject({ status: 403, isStored: false })
  })

  test('refuses a trailer, and stores nothing', async () => {
    const { status, code } = kind.trailerRefusal
    const { error, ...outcome } = await streamed(streaming({ trailer: 'crc32c' }))
    expect(outcome).toEqual({ status, isStored: false })
    expect(error).toMatch(`<Code>${code}</Code>`)
  })

  test.each(kind.takesForms ? acceptedForms : [])(
    'takes a form with %s',
    async (_, form, outcome) => {
      expect(await postForm(await createBucket(), form)).toMatchObject(outcome)
    },
  )

  test.each(kind.takesForms ? refusedForms : [])(
    'refuses a form with %s',
    async (_, form, outcome) => {
      expect(await postForm(await createBucket(), form)).toMatchObject(outcome)
    },
  )
}

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

import { expect, test } from 'vitest'
import { inspect } from '../../src/inspect/inspect.ts'
import type { Inspection, InspectionTask } from '../../src/inspect/inspection.ts'

const none: InspectionTask = {
  kind: 'auto',
  text: '',
  fields: { method: 'GET', url: '', headers: '', body: '' },
  entry: undefined,
  filter: '',
  key: { accessKeyId: '', secretAccessKey: '', sessionToken: '', region: '', service: '' },
  response: '',
  now: Date.UTC(2026, 10, 23, 12),
}
const inspected = (text: string, response = ''): Promise<Inspection> =>
  inspect({ ...none, text, response })

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
const scope = '20261123/us-east-1/s3/aws4_request'
const authorization = (names: string): string =>
  `Authorization: AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=${names}, Signature=${'ab'.repeat(32)}`

test('a cookie that names the host, or was cut within a character, hides nothing else', async () => {
  const result = await inspected(
    `GET /a HTTP/1.1\nHost: b.example\nCookie: site=b.example; id=hidden-cookie\ud83d\nX-Amz-Date: 20261123T115900Z\n${authorization('cookie;host;x-amz-date')}\n`,
  )
  expect(result).toMatchObject({ type: 'request', url: 'https://b.example/a' })
  expect(JSON.stringify(result)).toContain('host:b.example')
  expect(JSON.stringify(result)).not.toContain('hidden-cookie')
})

test('an algorithm in small letters is no secret', async () => {
  const result = await inspected(
    `GET /a HTTP/1.1\nHost: b.example\nX-Amz-Date: 20261123T115900Z\n${authorization('host').replace('AWS4-HMAC', 'aws4-hmac')}\n`,
  )
  expect(JSON.stringify(result)).toContain('aws4-hmac-SHA256')
})

test.each(inherited)(
  'a parameter, a header and a claim named %s are read as any other',
  async (name) => {
    const claims = Buffer.from(`{"${name}":1}`).toString('base64url')
    const results = await Promise.all([
      inspected(`https://a.example/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=a&${name}=1`),
      inspected(
        `GET /?${name} HTTP/1.1\nHost: a.example\n${name}: b\nX-Amz-Date: 20261123T115900Z\n${authorization(`${name};host`)}\n`,
        `HTTP/1.1 403 ${name}\n${name}: c\n\n<Error><${name}>d</${name}><Code>${name}</Code></Error>`,
      ),
      inspected(`eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln`),
      inspected(
        `{"request":{"method":"GET","url":"https://a.example/","headers":[{"name":"${name}","value":"b"}],"${name}":{}}}`,
      ),
    ])
    for (const result of results) {
      expect(['request', 'token']).toContain(result.type)
      // It comes from a worker.
      expect(structuredClone(result)).toEqual(result)
    }
  },
)

test('a list of 100 KB of signed headers is read before the page gives up', async () => {
  const names = Array.from({ length: 14_000 }, (_, index) => `a${String(index).padStart(6, '0')}`)
  const request = `GET /a HTTP/1.1\nHost: b.example\nX-Amz-Date: 20261123T115900Z\n`
  const text = `${request}${authorization(`${names.join(';')};host`)}\n`
  const result = await inspect({ ...none, text, key: { ...none.key, secretAccessKey: 'a secret' } })
  expect(result).toMatchObject({ type: 'request' })
  expect(JSON.stringify(result).length).toBeLessThan(1_000_000)
}, 10_000)

test('of a thousand lines that a server quotes, and that nobody sent, no more than 300 are shown', async () => {
  const names = Array.from(
    { length: 1000 },
    (_, index) => `x-amz-${String(index).padStart(4, '0')}`,
  )
  const canonical = `GET\n/a\n\n${names.map((name) => `${name}:b\n`).join('')}host:b.example\n\nhost;${names.join(';')}\nUNSIGNED-PAYLOAD`
  const result = await inspected(
    `GET /a HTTP/1.1\nHost: b.example\nX-Amz-Date: 20261123T115900Z\n${authorization('host')}\n`,
    `HTTP/1.1 403 No\n\n<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>${canonical}</CanonicalRequest></Error>`,
  )
  const shown = JSON.stringify(result)
  expect(shown.match(/"line":"header x-amz-\d+"/g)?.length).toBeLessThanOrEqual(300)
  expect(shown).toMatch(/… \d+ more lines are not shown/)
})

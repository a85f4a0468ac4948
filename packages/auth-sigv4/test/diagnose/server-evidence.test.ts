import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readRefusal, readServerEvidence } from '../testing.ts'
import { hex, refusal } from './diagnosing.ts'

const canonicalRequest = 'GET\n/\n\nhost:h\nx-amz-date:20130524T000000Z\n\nhost\nUNSIGNED-PAYLOAD'
const stringToSign = 'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\na'
const at = Date.UTC(2013, 4, 24)

/** A body that comes in these pieces, and then ends or breaks off. */
function pieces(parts: readonly (string | Uint8Array<ArrayBuffer>)[], isBroken = false) {
  const left = parts.map((part) =>
    typeof part === 'string' ? new TextEncoder().encode(part) : part,
  )
  let isCancelled = false
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const next = left.shift()
        if (next) controller.enqueue(next)
        else if (isBroken) controller.error(new TypeError('terminated'))
        else controller.close()
      },
      cancel() {
        isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isCancelled: () => isCancelled }
}

const evidenceOf = (response: Response) => readServerEvidence(readRefusal(response))

describe('a response', () => {
  test('is read with what it says of itself', async () => {
    const evidence = await evidenceOf(
      refusal('<Error><Code>\n A </Code><Message> b c\n</Message></Error>'),
    )
    expect(evidence).toMatchObject({ status: 403, isSuccess: false, code: 'A', message: 'b c' })
    expect(evidence).toMatchObject({ date: at, isExact: false, notes: [] })
    expect(evidence.canonical).toBeUndefined()
    expect(evidence.stringToSign).toBeUndefined()
    expect(evidence.signedAt).toBeUndefined()
    expect(evidence.header('content-type')).toBe('application/xml')
  })

  test('without code and message has empty ones', async () => {
    const evidence = await evidenceOf(refusal('<Error><Resource>/</Resource></Error>'))
    expect(evidence).toMatchObject({ code: '', message: '', notes: [] })
    expect(evidence.element('Resource')).toBe('/')
  })

  test.each([200, 204, 299])(
    'of the status %i took the request, and is not read',
    async (status) => {
      const body = status === 204 ? null : '<Error><Code>A</Code></Error>'
      const evidence = await evidenceOf(new Response(body, { status }))
      expect(evidence).toMatchObject({ isSuccess: true, code: '', notes: [] })
    },
  )

  test.each([300, 301, 400, 500])('of the status %i did not', async (status) => {
    const evidence = await evidenceOf(new Response('<Error><Code>A</Code></Error>', { status }))
    expect(evidence).toMatchObject({ isSuccess: false, code: 'A' })
  })
})

describe('what the server computed', () => {
  test('is read as text', async () => {
    const evidence = await evidenceOf(
      refusal(
        `<Error><CanonicalRequest>${canonicalRequest}</CanonicalRequest><StringToSign>${stringToSign}</StringToSign></Error>`,
      ),
    )
    expect(evidence.canonical?.headers.get('host')).toBe('h')
    expect(evidence).toMatchObject({ isExact: false, stringToSign, signedAt: at })
  })

  test('is read as bytes, which go before text', async () => {
    const evidence = await evidenceOf(
      refusal(
        '<Error><CanonicalRequest>no</CanonicalRequest><StringToSign>no</StringToSign>' +
          `<CanonicalRequestBytes>${hex(canonicalRequest)}</CanonicalRequestBytes>` +
          `<StringToSignBytes>${hex(stringToSign)}</StringToSignBytes></Error>`,
      ),
    )
    expect(evidence.canonical?.path).toBe('/')
    expect(evidence).toMatchObject({ isExact: true, stringToSign, signedAt: at, notes: [] })
  })

  test('has its date in either of the two', async () => {
    const alone = `<Error><StringToSign>${stringToSign}</StringToSign></Error>`
    expect((await evidenceOf(refusal(alone))).signedAt).toBe(at)
    const undated = canonicalRequest.replace(/\nx-amz-date:.*/, '')
    const body = `<Error><CanonicalRequest>${undated}</CanonicalRequest></Error>`
    expect((await evidenceOf(refusal(body))).signedAt).toBeUndefined()
  })

  test('is said to be none where it is none', async () => {
    const { canonical, notes } = await evidenceOf(
      refusal('<Error><CanonicalRequest>GET</CanonicalRequest></Error>'),
    )
    expect(canonical).toBeUndefined()
    expect(notes).toEqual(['The canonical request that the server shows is invalid.'])
  })
})

describe('the date of a response', () => {
  test('is none where a cache gave the response, or it has none', async () => {
    const date = new Date(at).toUTCString()
    const dateOf = async (headers: Record<string, string>) =>
      (await evidenceOf(refusal('', { headers }))).date
    expect(await dateOf({ date })).toBe(at)
    expect(await dateOf({ date, age: '0' })).toBeUndefined()
    expect(await dateOf({})).toBeUndefined()
  })
})

describe('a body', () => {
  test('that was read before is said to be, and nothing else of it', async () => {
    const response = refusal('<Error><Code>A</Code></Error>')
    await response.text()
    const { code, notes } = await evidenceOf(response)
    expect(code).toBe('')
    expect(notes).toEqual([expect.stringContaining('call diagnose first, pass a clone')])
  })

  test('that somebody else reads is said to be read, and nothing else of it', async () => {
    const response = refusal('<Error><Code>A</Code></Error>')
    response.body?.getReader()
    const { notes } = await evidenceOf(response)
    expect(notes).toEqual([expect.stringContaining('is being read')])
  })

  test('that breaks off with its connection gives what came before', async () => {
    const { body } = pieces(['<Error><Code>A</Code>', '<Message>b'], true)
    const { code, message, notes } = await evidenceOf(refusal(body))
    expect([code, message]).toEqual(['A', ''])
    expect(notes).toEqual(['The response was cut off; what came before that was read.'])
    const nothing = await evidenceOf(refusal(pieces([], true).body))
    expect(nothing.notes).toEqual(['The response body could not be read.'])
  })

  test('that breaks off before it says anything has nothing to compare', async () => {
    const { notes } = await evidenceOf(refusal('<Error><Co'))
    expect(notes).toEqual([
      'The response is XML without a readable Error, so the server gave nothing to compare.',
    ])
  })

  test('that comes in pieces is read across them', async () => {
    const bytes = new TextEncoder().encode('<Error><Code>ü😀</Code></Error>')
    const each = Array.from(bytes, (byte) => Uint8Array.of(byte))
    const { code } = await evidenceOf(refusal(pieces(each).body))
    expect(code).toBe('ü😀')
  })

  test('is read to its first MiB, and the caller can give up the rest', async () => {
    const start = '<Error><Code>A</Code>'
    const end = '<B>b</B>'
    const blanks = ' '.repeat(1024 * 1024 - start.length - end.length)
    const rest = `${end}<C>c</C>`
    const { body, isCancelled } = pieces([start + blanks, rest, rest, rest])
    const response = refusal(body)
    const { code, element, notes } = await evidenceOf(response)
    expect([code, element('B'), element('C')]).toEqual(['A', 'b', undefined])
    expect(notes).toEqual(['The response was cut off; what came before that was read.'])
    expect(isCancelled()).toBe(false)
    void response.body?.cancel()
    await setImmediate()
    expect(isCancelled()).toBe(true)
  })

  test.each<[text: string, contentType: string | undefined, said: string]>([
    ['', 'application/xml', 'has no body'],
    [' \n', undefined, 'has no body'],
    [`${' '.repeat(300)}Forbidden`, 'text/plain', 'is not an error from an object store'],
    ['Forbidden', undefined, 'is not an error from an object store'],
    ['see [1] and {2}', 'text/plain', 'is not an error from an object store'],
    ['see <html', 'text/plain', 'is not an error from an object store'],
    ['\n\n<HTML><br>', 'text/plain', 'is an HTML page'],
    ['<!doctype HTML><br>', 'text/plain', 'is an HTML page'],
    ['<List><html></html></List>', 'text/html', 'is XML without a readable Error'],
    ['<List>"json"</List>', 'text/json', 'is XML without a readable Error'],
    [' {"a":1}', 'text/plain', 'is JSON'],
    ['[1]', undefined, 'is JSON'],
    ['"Forbidden"', 'application/problem+json', 'is JSON'],
  ])('of %j (%s) is told by its kind', async (text, contentType, said) => {
    const headers = contentType === undefined ? {} : { 'content-type': contentType }
    // Text would bring a content type of its own.
    const { notes } = await evidenceOf(refusal(new TextEncoder().encode(text), { headers }))
    expect(notes).toEqual([expect.stringContaining(`The response ${said}`)])
  })
})

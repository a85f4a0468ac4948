import { createSigV4Auth } from '@svc/auth-sigv4'
import { presign } from '@svc/auth-sigv4/presign'
import { verifySigV4 } from '@svc/emulator'
import aws4 from 'aws4'
import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { inspect } from '../src/inspect/inspect.ts'
import type { InspectionTask, RequestInspection } from '../src/inspect/inspection.ts'

const apiKey = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' }
const now = Date.UTC(2013, 4, 24)
const day = '20130524'
const empty = createHash('sha256').digest('hex')

const nothing: InspectionTask = {
  kind: 'auto',
  text: '',
  fields: { method: 'GET', url: '', headers: '', body: '' },
  entry: undefined,
  filter: '',
  key: { accessKeyId: '', secretAccessKey: '', sessionToken: '', region: '', service: '' },
  response: '',
  now,
}

interface Given {
  readonly text: string
  readonly secret?: string | undefined
  readonly response?: string
}

/** Inspects a text, and returns what a person sees of it. */
async function inspected({ text, secret = '', response = '' }: Given): Promise<RequestInspection> {
  const key = { ...nothing.key, secretAccessKey: secret }
  const result = await inspect({ ...nothing, text, key, response })
  if (result.type !== 'request') throw new Error(JSON.stringify(result))
  return result
}

const titles = async (given: Given): Promise<string[]> =>
  (await inspected(given)).findings.map(({ outcome, title }) => `${outcome}: ${title}`)

/** A request of a signer that follows no rule but those that its parts say. */
function signedBy(
  line: { method?: string; target: string; host?: string; service?: string },
  canonical: (lines: readonly string[]) => readonly string[] = (lines) => lines,
  { secret = apiKey.secretAccessKey, more = [] as readonly string[], hash = empty } = {},
): string {
  const { method = 'GET', target, host = 'a.example', service = 's3' } = line
  const [path = '', query = ''] = target.split('?')
  const names = 'host;x-amz-content-sha256;x-amz-date'
  const lines = canonical([
    method,
    path,
    query,
    `host:${host}`,
    `x-amz-content-sha256:${hash}`,
    `x-amz-date:${day}T000000Z`,
    '',
    names,
    hash,
  ])
  const scope = `${day}/us-east-1/${service}/aws4_request`
  const digest = createHash('sha256').update(lines.join('\n')).digest('hex')
  const hmac = (key: string | Buffer, text: string): Buffer =>
    createHmac('sha256', key).update(text).digest()
  const signing = [day, 'us-east-1', service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secret}`,
  )
  const signature = hmac(
    Buffer.from(signing),
    `AWS4-HMAC-SHA256\n${day}T000000Z\n${scope}\n${digest}`,
  ).toString('hex')
  return [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `x-amz-date: ${day}T000000Z`,
    `x-amz-content-sha256: ${hash}`,
    `Authorization: AWS4-HMAC-SHA256 Credential=${apiKey.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    ...more,
    '',
    '',
  ].join('\n')
}

/** The response of a server that read a request as it stands in a text, and shows its lines. */
async function refusalOf(
  text: string,
  apiKeys: Parameters<typeof verifySigV4>[1]['apiKeys'] = [apiKey],
): Promise<string> {
  const region = /us-east-1|eu-west-1/.exec(text)?.[0] ?? ''
  const [head = '', ...headerLines] = text.trimEnd().split('\n')
  const [method = '', target = ''] = head.split(' ')
  const rawHeaders = headerLines.map((line): [string, string] => {
    const [name = ''] = line.split(': ', 1)
    return [name, line.slice(name.length + 2)]
  })
  const verification = await verifySigV4(
    { method, target, rawHeaders, body: new Uint8Array() },
    { apiKeys, region, clock: () => now },
  )
  if (verification.ok) throw new Error('the server would accept it')
  const escape = (given: string | undefined): string =>
    (given ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const { code, message, canonicalRequest, stringToSign } = verification
  const provided = /Signature=(\w+)/.exec(text)?.[1]
  const shown =
    canonicalRequest === undefined
      ? ''
      : `<CanonicalRequest>${escape(canonicalRequest)}</CanonicalRequest><StringToSign>${escape(stringToSign)}</StringToSign><SignatureProvided>${provided}</SignatureProvided>`
  return `HTTP/1.1 403 Forbidden\r\n\r\n<Error><Code>${code}</Code><Message>${escape(message)}</Message>${shown}</Error>`
}

const encodedPath = (lines: readonly string[]): readonly string[] =>
  lines.map((line, index) => (index === 1 ? line.replaceAll('%', '%25') : line))

const withLineBreak = signedBy({ target: '/V1/a' }, undefined, {
  secret: `${apiKey.secretAccessKey}\n`,
})

/** Signers that do what no server does, and the reason that a person must find. */
const foreign: readonly [name: string, text: string, meaning: RegExp][] = [
  [
    'a path that is encoded twice',
    signedBy({ target: '/V1/my%20report.csv' }, encodedPath),
    /encoded twice/,
  ],
  ['a + in a path', signedBy({ target: '/V1/a+b.csv' }), /without an encoding of its own/],
  [
    'a query that is not sorted',
    signedBy({ target: '/V1/?prefix=a&list-type=2' }),
    /query as it was sent/,
  ],
  [
    'a query that is not encoded',
    signedBy({ target: '/V1/?delimiter=/&prefix=a/b' }),
    /query as it was sent/,
  ],
  ['a parameter without a value', signedBy({ target: '/V1/?uploads' }), /query as it was sent/],
  [
    'a + in a path as a space',
    signedBy({ target: '/V1/a+b' }, (lines) => lines.map((line) => line.replace('a+b', 'a%20b'))),
    /\+ of the path is signed as a space/,
  ],
  [
    'a query that is sorted and not encoded',
    signedBy({ target: '/V1/?b=/&a=:' }, (lines) =>
      lines.map((line) => line.replace('b=/&a=:', 'a=:&b=/')),
    ),
    /sorted, but not encoded anew/,
  ],
  ['a + in a query', signedBy({ target: '/V1/?q=a+b' }), /query as it was sent/],
  [
    'path and query as they are',
    signedBy({ target: '/V1/a+b?q=a/b' }),
    /path and the query as they were sent/,
  ],
  [
    'another method',
    signedBy({ target: '/V1/a' }, ([, ...rest]) => ['HEAD', ...rest]),
    /for the method HEAD/,
  ],
  [
    'a host without its port',
    signedBy({ target: '/V1/a', host: 'a.example:4555' }, (lines) =>
      lines.map((line) => line.replace(':4555', '')),
    ),
    /host without its port/,
  ],
  ['a secret with a line break', withLineBreak, /line break behind the secret/],
  [
    'UNSIGNED-PAYLOAD in the last line alone',
    signedBy({ target: '/V1/a' }, (lines) => [...lines.slice(0, -1), 'UNSIGNED-PAYLOAD']),
    /UNSIGNED-PAYLOAD as the last line/,
  ],
]

describe('a refused request that another tool signed', () => {
  test.each(foreign)('with %s is no proof of a wrong secret', async (_name, text) => {
    const response = await refusalOf(text)
    expect(await titles({ text, response })).toEqual([
      'open: Another secret, or another form of the request',
      'open: The signature is not checked',
    ])
  })

  test.each(foreign)(
    'with %s is told by its form, once the secret is given',
    async (_name, text, meaning) => {
      const response = await refusalOf(text)
      const { findings } = await inspected({ text, response, secret: apiKey.secretAccessKey })
      expect(findings.map(({ title }) => title)).toEqual([
        text === withLineBreak ? 'The secret is not exact' : 'The signature is for another form',
      ])
      expect(findings[0]?.meaning).toMatch(meaning)
      expect(findings[0]?.remarks.at(-1)).toContain('read the request as it stands here')
    },
  )

  test('is shown the line that was signed', async () => {
    const text = signedBy({ target: '/V1/my%20report.csv' }, encodedPath)
    const { findings } = await inspected({ text, secret: apiKey.secretAccessKey })
    expect(findings[0]?.remarks[0]).toBe(
      'Signed was the line /V1/my%2520report.csv and here it is /V1/my%20report.csv',
    )
  })

  test('is told of its port by the port', async () => {
    const remedyOf = async (port: number): Promise<string | undefined> => {
      const line = { target: '/V1/a', host: `a.example:${port}` }
      const without = (lines: readonly string[]): string[] =>
        lines.map((one) => one.replace(`:${port}`, ''))
      const text = signedBy(line, without)
      const { findings } = await inspected({ text, secret: apiKey.secretAccessKey })
      return findings[0]?.remarks.at(-1)
    }
    expect(await remedyOf(4555)).toContain('belongs into the Host header, and is signed')
    expect(await remedyOf(443)).toContain('belongs neither into the Host header')
  })

  test('with another secret cannot be told from another form', async () => {
    const text = signedBy({ target: '/V1/a' }, undefined, { secret: 'another' })
    const response = await refusalOf(text)
    expect(await titles({ text, response, secret: apiKey.secretAccessKey })).toEqual([
      'wrong: Another secret, or another form of the request',
    ])
    // Its own secret proves that the server has another one.
    expect(await titles({ text, response, secret: 'another' })).toEqual([
      'wrong: The key is the cause',
      'right: This key made the signature',
    ])
  })

  test('by curl is not blamed on the key either, before it is sent', async () => {
    const response = await refusalOf(
      signedBy({ target: '/V1/a' }, undefined, { secret: 'another' }),
    )
    const text = `curl --aws-sigv4 aws:amz:us-east-1:s3 --user ${apiKey.accessKeyId}:another https://a.example/V1/a`
    const { findings, otherLines } = await inspected({
      text: text.replace(':another', ':a-third'),
      response,
    })
    expect(findings.map(({ title }) => title)).toContain(
      'Another secret, or another form of the request',
    )
    expect(otherLines).toEqual([])
    // The secret that gives the signature which arrived proves that the server has another one.
    expect((await titles({ text, response }))[0]).toBe('wrong: The key is the cause')
  })
})

describe('a refusal', () => {
  test('for want of x-amz-content-sha256 names it', async () => {
    const text = signedBy({ target: '/V1/a' })
      .replace(/^x-amz-content-sha256.*\n/m, '')
      .replace('x-amz-content-sha256;', '')
    const result = await inspected({ text, response: await refusalOf(text) })
    expect(result.findings.map(({ title }) => title)).toEqual([
      'The server read another request',
      'x-amz-content-sha256 is missing',
      'The signature is not checked',
    ])
    expect(result.findings[0]?.meaning).toContain('wants the header x-amz-content-sha256')
    expect(JSON.stringify(result)).not.toContain('dropped on the way')
  })

  test('that gives a reason of its own shows it', async () => {
    const text = signedBy({ target: '/V1/a' })
    const response =
      '<Error><Code>AccessDenied</Code><Message>No policy allows it.</Message></Error>'
    const { findings } = await inspected({ text, response })
    expect(findings[0]?.title).toBe('The server gives a reason of its own')
    expect(findings[0]?.remarks.join(' ')).toContain('No policy allows it.')
  })

  test('without a line to compare is told to be so', async () => {
    const text = signedBy({ target: '/V1/a' })
    const response =
      '<Error><Code>SignatureDoesNotMatch</Code><Message>It does not match.</Message></Error>'
    const { findings } = await inspected({ text, response })
    expect(findings[0]?.title).toBe('The server shows no lines to compare')
    // The status is not known.
    expect(findings[0]?.meaning).toMatch(/^SignatureDoesNotMatch: /)
  })

  test('of another request is not explained by what happened on the way', async () => {
    const text = signedBy({ target: '/V1/a' })
    const response = await refusalOf(signedBy({ target: '/V1/b+c' }))
    const { findings, steps } = await inspected({ text, response })
    expect(findings[0]?.title).toBe('The response is to another request')
    const differing = steps
      .flatMap(({ lines }) => lines)
      .filter(({ theirs }) => theirs !== undefined)
    expect(differing.map(({ line, hint }) => [line, hint])).toEqual([['path', '']])
  })

  test('after 100 Continue is the one that counts', async () => {
    const text = signedBy({ target: '/V1/a+b' })
    const response = `HTTP/1.1 100 Continue\r\n\r\n${await refusalOf(text)}`
    expect((await titles({ text, response }))[0]).toBe(
      'open: Another secret, or another form of the request',
    )
  })
})

describe('a HAR that a browser exported without its Authorization headers', () => {
  const exported = async (change: (text: string) => string): Promise<string> => {
    const sent = signedBy({ target: '/V1/a', service: 's3' })
    const headers = sent
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => ({ name: line.split(': ', 1)[0], value: line.slice(line.indexOf(': ') + 2) }))
    const refusal = (await refusalOf(change(sent))).replace(/^[^]*?\r\n\r\n/, '')
    const request = {
      method: 'GET',
      url: 'https://a.example/V1/a',
      headers: headers.filter(({ name }) => name !== 'Authorization'),
    }
    const own = '<AWSAccessKeyId>AKIDEXAMPLE</AWSAccessKeyId></Error>'
    const response = {
      status: 403,
      headers: [],
      content: { text: refusal.replace('</Error>', own) },
    }
    return JSON.stringify({ log: { entries: [{ request, response }] } })
  }

  test('is compared by what the server quotes, and by nothing that stands in for it', async () => {
    const text = await exported((sent) =>
      sent.replaceAll('us-east-1', 'eu-west-1').replace('/V1/a', '/V1/b'),
    )
    const { findings, otherLines, steps } = await inspected({ text })
    expect(findings.map(({ title }) => title)).toEqual([
      'The server read another request',
      'The Authorization header is missing',
    ])
    const differing = steps
      .flatMap(({ lines }) => lines)
      .filter(({ theirs }) => theirs !== undefined)
    expect(differing.map(({ line }) => line)).toEqual(['path'])
    expect(otherLines).toEqual([])
  })

  test('is not blamed on the key', async () => {
    const text = await exported((sent) => sent.replace(/Signature=\w{4}/, 'Signature=0000'))
    expect(await titles({ text })).toEqual([
      'open: Another secret, or another form of the request',
      'open: The Authorization header is missing',
    ])
  })
})

test('what curl -v wrote is a request and its response in one', async () => {
  const text = signedBy({ target: '/V1/a+b' })
  const [head = '', body = ''] = (await refusalOf(text)).split('\r\n\r\n')
  const marked = (mark: string, part: string): string =>
    part
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => `${mark} ${line}`)
      .join('\n')
  const transcript = [
    '*   Trying 127.0.0.1:80...',
    '* Connected to a.example (127.0.0.1) port 80 (#0)',
    '> CONNECT a.example:443 HTTP/1.1\n> Host: a.example:443\n> ',
    '< HTTP/1.1 200 Connection established\n< ',
    marked('>', text),
    '> ',
    '* We are completely uploaded and fine',
    '< HTTP/1.1 100 Continue\n< ',
    marked('<', head),
    '< ',
    '{ [300 bytes data]',
    body,
    '* Connection #0 to host a.example left intact',
  ].join('\n')
  const meter = '  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0'
  const metered = [
    '  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current',
    '                                 Dload  Upload   Total   Spent    Left  Speed',
    `\r${meter}${transcript.replace(/^(?=< HTTP\/1.1 403)/m, `\r100   9  100   9    0     0     12      0 --:--:--  0:00:01 --:--:--    12`)}`,
  ].join('\n')
  expect(await titles({ text: metered, secret: apiKey.secretAccessKey })).toEqual(
    await titles({ text: transcript, secret: apiKey.secretAccessKey }),
  )
  const result = await inspected({ text: transcript, secret: apiKey.secretAccessKey })
  expect([result.method, result.url]).toEqual(['GET', 'https://a.example/V1/a+b'])
  expect(result.findings.map(({ title }) => title)).toEqual(['The signature is for another form'])
  // The response alone is read too.
  const response = transcript.slice(transcript.indexOf('< HTTP/1.1 100'))
  expect(await titles({ text, response })).toContain(
    'open: Another secret, or another form of the request',
  )
})

describe('a signature that is not computed', () => {
  test('is not called right: it is of another algorithm', async () => {
    const text = signedBy({ target: '/V1/a' })
      .replace('AWS4-HMAC-SHA256 ', 'AWS4-ECDSA-P256-SHA256 ')
      .replace('/us-east-1', '')
    const result = await inspected({ text, secret: 'any' })
    expect(result.findings.map(({ outcome, title }) => [outcome, title])).toEqual([
      ['open', 'The signature is not checked'],
    ])
    expect(result.signature.computed).toBe('')
  })

  test('is not called right: its algorithm is none', async () => {
    const text = signedBy({ target: '/V1/a' }).replace('AWS4-HMAC-SHA256 ', 'aws4-hmac-sha256 ')
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toEqual([
      'wrong: The signature is malformed',
      'open: The signature is not checked',
    ])
  })

  test.each([
    ['of which none is given', 'Content-Length: 7', ''],
    ['of which a part is given', 'Content-Length: 9', 'Action='],
    ['that was no text', 'Content-Length: 3', '\ufffd'],
  ])('is not called wrong for a body %s', async (_name, header, body) => {
    const { headers } = aws4.sign(
      {
        service: 'es',
        region: 'us-east-1',
        method: 'POST',
        path: '/',
        headers: { host: 'a.example' },
        body: 'Action=List',
      },
      apiKey,
    )
    const lines = Object.entries(headers)
      .filter(([name]) => !/content-length/i.test(name))
      .map(([name, value]) => `${name}: ${value}`)
    const text = `POST / HTTP/1.1\n${[...lines, header].join('\n')}\n\n${body}`
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toEqual([
      'open: The body is not checked',
      'open: The signature is not checked',
    ])
  })

  test('is computed for as much of the body as Content-Length says', async () => {
    const body = 'Action=List'
    const given = {
      service: 'es',
      region: 'us-east-1',
      method: 'POST',
      path: '/',
      headers: { host: 'a.example' },
      body,
    }
    const { headers } = aws4.sign(given, apiKey)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const text = `POST / HTTP/1.1\n${lines.join('\n')}\n\n${body}\n\nand a remark`
    const result = await inspected({ text, secret: apiKey.secretAccessKey })
    expect(result.findings.map(({ title }) => title)).toEqual(['The signature is right'])
    expect(result.notes.join(' ')).toContain('Content-Length says 11 bytes')
  })
})

describe('a body without a length', () => {
  const without = (line: string): string => line.replace('x-amz-content-sha256;', '')
  const signedBody = (body: string): string =>
    without(
      signedBy(
        { method: 'POST', target: '/', service: 'es' },
        (lines) => lines.filter((line) => !line.startsWith('x-amz-content-sha256:')).map(without),
        { hash: createHash('sha256').update(body).digest('hex') },
      ).replace(/^x-amz-content-sha256:.*\n/m, ''),
    )

  test.each([
    ['blank lines behind a request', '', '\n\n'],
    ['a line break that an editor added', 'Action=List', '\n'],
    ['line breaks that lost their CR', 'a\r\nb', ''],
  ])('is found by its signature: %s', async (_name, body, added) => {
    const text = signedBody(body) + body.replaceAll('\r', '') + added
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toEqual([
      'right: The signature is right',
    ])
  })
})

test('a body that was added after signing is told', async () => {
  const without = (line: string): string => line.replace('x-amz-content-sha256;', '')
  const signed = signedBy({ method: 'POST', target: '/', service: 'es' }, (lines) =>
    lines.filter((line) => !line.startsWith('x-amz-content-sha256:')).map(without),
  )
  const text = without(signed.replace(/^x-amz-content-sha256:.*\n/m, ''))
  const { findings } = await inspected({
    text: `${text.trimEnd()}\ncontent-length: 1\n\na`,
    secret: apiKey.secretAccessKey,
  })
  expect(findings.map(({ meaning }) => meaning)).toEqual(['It is right without the body.'])
})

describe('a request that AWS refuses, though its signature is right', () => {
  test('has a header of AWS that is not signed', async () => {
    const text = signedBy({ target: '/V1/a' }, undefined, { more: ['x-amz-meta-a: b'] })
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toEqual([
      'wrong: A header is not signed',
      'right: The signature is right',
    ])
  })

  test('does not sign its own payload hash', async () => {
    const text = signedBy({ target: '/V1/a' }, (lines) =>
      lines
        .filter((line) => !line.startsWith('x-amz-content-sha256:'))
        .map((line) => line.replace('x-amz-content-sha256;', '')),
    ).replace('x-amz-content-sha256;', '')
    expect((await titles({ text, secret: apiKey.secretAccessKey }))[0]).toBe(
      'wrong: A header is not signed',
    )
  })

  test.each([
    ['names of signed headers in capitals', 'SignedHeaders=host', 'SignedHeaders=Host'],
    ['a broken escape', '/V1/a ', '/V1/a%zz '],
  ])('has %s', async (_name, from, to) => {
    const text = signedBy({ target: '/V1/a' }).replace(from, to)
    expect((await titles({ text, secret: apiKey.secretAccessKey }))[0]).toBe(
      'wrong: The signature is malformed',
    )
  })
})

describe('a URL alone', () => {
  const auth = createSigV4Auth({
    baseUrl: 'https://a.example',
    region: 'us-east-1',
    credentials: apiKey,
    clock: () => now,
  })
  const presigned = async (method: string, headers: Record<string, string> = {}): Promise<string> =>
    (await presign(auth, 'https://a.example/V1/a', { method, headers, expiresInSeconds: 60 })).href

  test.each(['GET', 'PUT', 'DELETE'])(
    'is right for the method %s that it was signed for',
    async (method) => {
      const result = await inspected({
        text: await presigned(method),
        secret: apiKey.secretAccessKey,
      })
      expect(result.method).toBe(method)
      expect(result.findings.map(({ title }) => title)).toContain('The signature is right')
      expect(result.notes.join(' ')).toContain(`it was signed for ${method}`)
    },
  )

  test.each(['XML', 'JSON'])(
    'has the method and the headers that the error in %s quotes',
    async (form) => {
      const text = await presigned('PUT', { 'Content-Type': 'text/plain' })
      const { pathname, search, host } = new URL(text)
      const wire = `PUT ${pathname}${search} HTTP/1.1\nHost: ${host}\nContent-Type: text/plain\n\n`
      const refused = await refusalOf(wire, [{ ...apiKey, secretAccessKey: 'another' }])
      const of = (name: string): string =>
        (new RegExp(`<${name}>([^]*?)</${name}>`).exec(refused)?.[1] ?? '').replaceAll('&amp;', '&')
      const json = JSON.stringify({
        message: `No match.\n\nThe Canonical String for this request should have been\n'${of('CanonicalRequest')}'\n\nThe String-to-Sign should have been\n'${of('StringToSign')}'\n`,
      })
      const response = form === 'XML' ? refused : json
      const blind = await inspected({ text, response })
      expect(blind.method).toBe('PUT')
      expect(blind.findings[0]?.title).toBe('Another secret, or another form of the request')
      expect(
        blind.steps.flatMap(({ lines }) => lines).filter(({ theirs }) => theirs !== undefined),
      ).toEqual([])
      expect(await titles({ text, response, secret: apiKey.secretAccessKey })).toEqual([
        'wrong: The key is the cause',
        'right: This key made the signature',
        'right: The URL has not expired',
      ])
    },
  )

  test('is signed as clients write its host', async () => {
    const text = (await presigned('GET')).replace('https://a.example', 'HTTPS://A.Example:443')
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toContain(
      'right: The signature is right',
    )
  })

  test('with another session token than the one given says so', async () => {
    const url = `${await presigned('GET')}&X-Amz-Security-Token=${'a'.repeat(40)}`
    const key = { ...nothing.key, sessionToken: 'b'.repeat(40) }
    const result = await inspect({ ...nothing, text: url, key })
    expect(JSON.stringify(result)).toContain('It is another session token')
  })

  test('with signed headers that are not known is not called wrong', async () => {
    const text = await presigned('PUT', { 'Content-Type': 'text/plain' })
    expect((await titles({ text, secret: apiKey.secretAccessKey })).sort()).toEqual([
      'open: Signed headers are not known',
      'open: The signature is not checked',
      'right: The URL has not expired',
    ])
  })
})

test('fields with an empty line between headers are refused with the line', async () => {
  const fields = { method: 'GET', url: 'https://a.example/', headers: 'a: b\n\nc: d', body: '' }
  const result = await inspect({ ...nothing, kind: 'fields', fields })
  expect(result).toMatchObject({ type: 'failed', message: expect.stringContaining('Line 2') })
})

describe('a raw request', () => {
  test('may be indented as a whole', async () => {
    const text = signedBy({ target: '/V1/a' }).replace(/^(?=.)/gm, '    ')
    expect(await titles({ text, secret: apiKey.secretAccessKey })).toEqual([
      'right: The signature is right',
    ])
  })

  test('with two hosts is refused', async () => {
    const text = signedBy({ target: '/V1/a' }, undefined, { more: ['Host: b.example'] })
    const result = await inspect({ ...nothing, text })
    expect(result).toMatchObject({
      type: 'failed',
      message: expect.stringContaining('two Host headers'),
    })
  })

  test.each([
    ['/V1/a#b', 'no client sends it'],
    ['https://b.example/V1/a', 'servers go by the request line'],
  ])('for %s says what a server sees', async (target, note) => {
    const { notes } = await inspected({ text: `GET ${target} HTTP/1.1\nHost: a.example\n\n` })
    expect(notes.join(' ')).toContain(note)
  })
})

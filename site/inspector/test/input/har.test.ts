import { describe, expect, test } from 'vitest'
import { findBodyForm } from '../../src/input/body-forms.ts'
import { listHarEntries, readHarEntries, readHarEntry } from '../../src/input/har.ts'
import { bytesOf } from '../../src/input/pasted-request.ts'
import { recognise } from '../../src/input/recognise.ts'

const header = (name: string, value: string): object => ({ name, value })

const entry = {
  request: {
    method: 'POST',
    url: 'https://a.example/b?token=secret#c',
    headers: [header(':authority', 'a.example'), header('Authorization', 'AWS4-HMAC-SHA256 x')],
    postData: { mimeType: 'text/plain', text: 'aGk=', encoding: 'base64' },
  },
  response: {
    status: 403,
    headers: [header('Date', 'today')],
    content: { text: 'PEVycm9yLz4=', encoding: 'base64' },
  },
}

describe('a HAR', () => {
  test('is read whole, as a list, or as one entry', () => {
    for (const har of [{ log: { entries: [entry] } }, [entry], entry]) {
      expect(readHarEntries(JSON.stringify(har))).toEqual([entry])
    }
  })

  test('has entries with request and response, whose bodies are decoded', () => {
    const { method, url, headers, body, response } = readHarEntry(entry)
    expect({ method, url, body: new TextDecoder().decode(body) }).toEqual({
      method: 'POST',
      url: 'https://a.example/b?token=secret',
      body: 'hi',
    })
    expect(headers[0]).toEqual(['host', 'a.example'])
    expect(response).toEqual({ status: 403, headers: { date: 'today' }, body: '<Error/>' })
  })

  test('is listed with the refused and signed ones first, without queries', () => {
    const fine = {
      request: { method: 'GET', url: 'https://a.example/x' },
      response: { status: 200 },
    }
    const { found, list } = listHarEntries([fine, fine, entry], '', 2)
    expect(found).toBe(3)
    expect(list).toEqual([
      { index: 2, method: 'POST', url: 'https://a.example/b', status: 403, isSigned: true },
      { index: 0, method: 'GET', url: 'https://a.example/x', status: 200, isSigned: false },
    ])
    expect(listHarEntries([fine, entry], '403', 5).found).toBe(1)
  })

  test('is listed without users, passwords and tokens', () => {
    const url = 'https://me:hunter2@a.example/t/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2ln/b'
    const { list } = listHarEntries([{ request: { method: 'GET', url } }], '', 1)
    expect(list[0]?.url).toBe('https://a.example/t/eyJ…/b')
  })

  test('that is broken is refused with its line', () => {
    expect(() => readHarEntries('{\n  "log": {,}')).toThrow('the JSON is broken here.')
    expect(() => readHarEntries('{\n  "log": {')).toThrow('the JSON ends too early')
    expect(() => readHarEntries('{"log":{}}')).toThrow('the JSON has no log.entries')
    expect(() => readHarEntry({ request: { method: 'a b' } })).toThrow('request.method')
    expect(() => readHarEntry({ request: { method: 'GET' } })).toThrow('request.url')
  })

  test('brings nothing along by the names of a prototype', () => {
    const text = '{"__proto__":{"log":{"entries":[1]}}}'
    expect(() => readHarEntries(text)).toThrow('the JSON has no log.entries')
  })
})

test.each([
  ['curl https://a.example', 'curl'],
  ['/usr/bin/curl -v a', 'curl'],
  [' {"log":{}}', 'har'],
  ['https://a.example/?X-Amz-Signature=a', 'url'],
  ['Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'token'],
  ['{"Token":"eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}', 'token'],
  ['GET / HTTP/1.1', 'http'],
  ['anything', 'http'],
])('%j is recognised as %s', (text, kind) => {
  expect(recognise(text)).toBe(kind)
})

describe('a body', () => {
  // The bytes themselves stand for their hash.
  const hash = (bytes: Uint8Array): string =>
    [...bytes]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
      .padEnd(64, '0')
  const found = (pasted: string, sent: string): string => {
    const headers = [['x-amz-content-sha256', hash(bytesOf(sent))]] as const
    const request = {
      method: 'PUT',
      url: '',
      headers,
      body: bytesOf(pasted),
      secrets: [],
      notes: [],
    }
    return new TextDecoder().decode(findBodyForm(request, hash)?.body)
  }

  test.each([
    ['a\nb', 'a\r\nb'],
    ['a\nb\n', 'a\nb'],
    ['a\nb\n', 'a\r\nb'],
    ['a\nb\n', 'a\r\nb\r\n'],
    ['a\r\nb\r\n', 'a\r\nb'],
  ])('that pasting made %j is taken for the %j whose hash was signed', (pasted, sent) => {
    expect(found(pasted, sent)).toBe(sent)
  })

  test('that nothing explains stays as it is', () => {
    expect(found('a\nb', 'c')).toBe('a\nb')
  })
})

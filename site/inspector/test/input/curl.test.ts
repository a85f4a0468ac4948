import { describe, expect, test } from 'vitest'
import { readCurl } from '../../src/input/curl.ts'
import { describeInputError, InputError } from '../../src/input/input-error.ts'

const shownBody = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes)

/** The request of a command, as far as it is not the usual one. */
function read(command: string) {
  const { method, url, headers, body } = readCurl(command)
  const own = headers.filter(([name]) => name !== 'host')
  return { method, url, headers: Object.fromEntries(own), body: shownBody(body) }
}

const url = 'https://a.example/b'
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a curl command', () => {
  test.each<[command: string, expected: Partial<ReturnType<typeof read>>]>([
    [`curl ${url}`, {}],
    ['curl a.example/b', { url: 'http://a.example/b' }],
    [`$ curl -sSL --compressed -o out.txt --url ${url}`, {}],
    [`curl -XDELETE ${url}`, { method: 'DELETE' }],
    [`curl -I ${url}`, { method: 'HEAD' }],
    [
      `curl ${url} -H 'X-Own: it'\\''s' -H "X-Two: \\"a\\" \\b"`,
      { headers: { 'X-Own': "it's", 'X-Two': '"a" \\b' } },
    ],
    [`curl ${url} -H $'X-Own: caf\\u00e9 \\x41\\'b'`, { headers: { 'X-Own': "café A'b" } }],
    [`curl ${url} \\\n  -H 'Accept:' \\\r\n  -H 'X-Empty;'`, { headers: { 'X-Empty': '' } }],
    [
      `curl ${url} -d a=1 --data-raw '@b' --data-binary $'c\\nd'`,
      { method: 'POST', headers: form, body: 'a=1&@b&c\nd' },
    ],
    [`curl -G ${url}?x=1 -d a=1 --data-urlencode 'q=a b&c'`, { url: `${url}?x=1&a=1&q=a%20b%26c` }],
    [
      `curl --json '{"a":1}' ${url}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: '{"a":1}',
      },
    ],
    [
      `curl -A me -e there -b 'a=b' -r 0-9 ${url}`,
      { headers: { 'user-agent': 'me', referer: 'there', cookie: 'a=b', range: 'bytes=0-9' } },
    ],
    [`curl -u me:secret ${url}`, { headers: { authorization: 'Basic bWU6c2VjcmV0' } }],
    [`curl -T file ${url}`, { method: 'PUT' }],
    [
      `curl ^"https://a.example/b?c=1^&d=2^" ^\n  -H ^"X-Own: a ^\\^"b^\\^"^" ^\r\n  --data-raw ^"c^"`,
      { url: `${url}?c=1&d=2`, method: 'POST', headers: { 'X-Own': 'a "b"', ...form }, body: 'c' },
    ],
  ])('%j is read as curl reads it', (command, expected) => {
    expect(read(command)).toEqual({ method: 'GET', url, headers: {}, body: undefined, ...expected })
  })

  test('of --aws-sigv4 brings its key along, and shows nothing of it', () => {
    const { key, secrets } = readCurl(
      'curl --aws-sigv4 aws:amz:eu-west-1:es --user AKID:correct/horse https://a.example/',
    )
    expect(key).toEqual({
      accessKeyId: 'AKID',
      secretAccessKey: 'correct/horse',
      region: 'eu-west-1',
      service: 'es',
    })
    expect(secrets).toContain('correct/horse')
  })

  test('with a form or a file has a body that is not known', () => {
    for (const option of ['-F a=@b', '-d @b', '-T b', '--data-urlencode a@b']) {
      const { body, isForm, notes } = readCurl(`curl ${option} ${url}`)
      expect({ body, isForm }).toEqual({ body: undefined, isForm: true })
      expect(notes.length).toBeGreaterThan(0)
    }
  })

  test('ends where a shell ends it, which is told', () => {
    const { url: whole, notes } = readCurl('curl https://a.example/?a=1&b=2')
    expect(whole).toBe('https://a.example/?a=1')
    expect(notes[0]).toContain('quote the URL')
  })

  test.each([
    [
      "curl 'https://a.example/",
      "Line 1, column 6 (quotation): the quotation that begins here with ' has no end.",
    ],
    [
      'curl a \\\n  -H "b',
      'Line 2, column 6 (quotation): the quotation that begins here with " has no end.',
    ],
    ['curl -H', 'Line 1, column 6 (option): “-H” needs a value behind it.'],
    ['curl -s', 'URL: the command has no URL.'],
    ["curl a -H 'b c'", 'Line 1, column 11 (header): “b c” is no header with a name and a colon.'],
    [
      'curl ftp://a.example/',
      'Line 1 (URL): there is no absolute URL with http:// or https:// and a host.',
    ],
  ])('that is broken (%j) is refused with its place', (command, message) => {
    const error = (() => {
      try {
        return readCurl(command)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(InputError)
    expect(error instanceof InputError && describeInputError(error)).toBe(message)
  })
})

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { findLongOption, findShortOption } from '../../src/input/curl-options.ts'
import { readCurl } from '../../src/input/curl.ts'
import { describeInputError, InputError } from '../../src/input/input-error.ts'
import { splitShellWords } from '../../src/input/shell-words.ts'

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
    [`curl --tlspassword hunter2 --socks4 127.0.0.1:1 ${url} --proxy-pass hunter2`, {}],
    [`curl --variable token=hunter2 --user-ag me ${url}`, { headers: { 'user-agent': 'me' } }],
    [`curl --no-compressed --keepalive -sSLq -- ${url}`, {}],
    [`curl ${url} --url-query 'a=b c' --url-query +d`, { url: `${url}?a=b%20c&d` }],
    [`curl ${url} --request-target /other?c`, { url: 'https://a.example/other?c' }],
    ['curl https://a.example/x/./../b', {}],
    ['curl --path-as-is https://a.example/x/../b', { url: 'https://a.example/x/../b' }],
    [
      'curl -T "/a/b c.txt" https://a.example/d/?e',
      { method: 'PUT', url: 'https://a.example/d/b%20c.txt?e' },
    ],
    [
      `curl ${url} -d a --next https://c.example/ -d b`,
      { method: 'POST', headers: form, body: 'a' },
    ],
    [`curl ${url} -d a -H 'Content-Type:'`, { method: 'POST', body: 'a' }],
    [
      `curl ${url} --data-raw $'\\101\\xc3\\xa9\\0'`,
      { method: 'POST', headers: form, body: 'A\u00e9\0' },
    ],
    [
      `curl ${url} -H 'X-Own: a' -d '{"re":"^"}'`,
      { method: 'POST', headers: { 'X-Own': 'a', ...form }, body: '{"re":"^"}' },
    ],
    [
      `curl ^"${url}^" ^\n  -H ^"X-Own: C:^\\dir^\\^\\^" --data-raw ^"a^\n\nb^"`,
      { method: 'POST', headers: { 'X-Own': 'C:\\dir\\', ...form }, body: 'a\nb' },
    ],
    [`curl "${url}" ^\r\n  -H "X-Own: a^b"`, { headers: { 'X-Own': 'a^b' } }],
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

  test('shows no value of an option that holds a password', () => {
    const { secrets } = readCurl(
      `curl --tlspassword hunter2 --proxy http://me:hunter3@p.example --variable a=hunter4 ${url}`,
    )
    expect(secrets).toEqual(expect.arrayContaining(['hunter2', 'hunter3', 'hunter4']))
    expect(secrets).not.toContain('p.example')
  })

  test.each([
    ['curl "https://a.example/$BUCKET"', 'in the place of $'],
    ['curl https://a.example/`date`', 'in the place of $'],
    ['curl https://a.example/{a,b}', 'several URLs'],
    ['curl https://a.example/a/../b', 'changes this path'],
    [`curl ${url} --next ${url}`, '--next'],
  ])('that does more than is read here (%j) is told to', (command, note) => {
    expect(readCurl(command).notes.join()).toContain(note)
  })

  test.each([String.raw`curl "https://a.example/\$a" -H 'X: $a' -d "5$"`, "curl $'a\\n' a"])(
    'in which nothing stands for something else (%j) is told nothing',
    (command) => {
      expect(splitShellWords(command).hasExpansions).toBe(false)
    },
  )

  test.skipIf(!hasProgram('curl', ['curl', '--version'], 'apt-get install curl'))(
    'may have any option that curl itself lists',
    async () => {
      const { stdout } = await run('curl', ['--help', 'all'])
      const lines = stdout.matchAll(/^ (?:-(.), | {4})--(\S+)(?: (<|\[protocol))?/gm)
      const wrong = [...lines].filter(([, letter, name = '', value]) => {
        const expected = { name, takesValue: value !== undefined && name !== 'help' }
        const found = [
          findLongOption(name),
          letter === undefined ? expected : findShortOption(letter),
        ]
        return !isDeepStrictEqual(found, [expected, expected])
      })
      expect(wrong.map(([line]) => line)).toEqual([])
    },
  )

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
    ['curl -H', 'Line 1, column 6 (option): -H needs a value behind it.'],
    [
      'curl --hunter2=correct --x a',
      'Line 1, column 6 (option): this is no option of curl that is known here; take it out.',
    ],
    [
      'curl \\\n --new-option value a',
      'Line 2, column 2 (option): --new-option is no option of curl that is known here; take it out.',
    ],
    [
      'curl --dat a',
      'Line 1, column 6 (option): --dat is the beginning of several options of curl.',
    ],
    [
      'curl -sé a',
      'Line 1, column 6 (option): this is no option of curl that is known here; take it out.',
    ],
    [
      "curl a -d $'\\xff'",
      'Line 1, column 13 (quotation): these bytes are no text in UTF-8, so this page cannot hold them.',
    ],
    ['curl -s', 'URL: the command has no URL.'],
    ["curl a -H 'b c'", 'Line 1, column 11 (header): this is no header with a name and a colon.'],
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

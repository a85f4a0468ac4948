import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodedForms } from '../../../../tests/support/encoded-forms.ts'
import { readServerMessage } from '../testing.ts'

const password = 'Tr0ub4dor&3 "zebra"'
const messageIn = (body: string, ...secrets: string[]): string | undefined =>
  readServerMessage(body, 'whole', [password, ...secrets])

describe('the message of a response', () => {
  test.each<[what: string, body: string, message: string | undefined]>([
    ['message', '{"message":"wrong password"}', 'wrong password'],
    ['Message before Code', '{"Code":"Denied","Message":"wrong password"}', 'wrong password'],
    ['Code alone', '{"Code":"InvalidCredentials"}', 'InvalidCredentials'],
    ['error', '{"error":"wrong password"}', 'wrong password'],
    ['error of OAuth', '{"error":"invalid_grant","error_description":"locked"}', 'locked'],
    ['error within error', '{"error":{"code":7,"message":"locked"}}', 'locked'],
    ['errors', '{"errors":[{"code":1},{"message":"locked"}]}', 'locked'],
    ['problem details', '{"type":"about:blank","title":"No","detail":"locked"}', 'locked'],
    ['a text of JSON, which could be a token', '"locked"', undefined],
    ['a list of texts, which could be tokens', '["locked",{"message":"a"}]', undefined],
    ['texts of errors', '{"errors":[7,"locked"]}', 'locked'],
    ['a message that is no text', '{"message":7,"error":null,"Code":"Denied"}', 'Denied'],
    ['a message that is empty', '{"message":" ","Code":"Denied"}', 'Denied'],
    ['no message', '{"status":"failed"}', undefined],
    ['a number', '401', undefined],
    ['null', 'null', undefined],
    ['names of the prototype', '{"__proto__":{"message":"a"},"constructor":"b"}', undefined],
    ['JSON deeper than a message stands', '{"error":'.repeat(9) + '"a"' + '}'.repeat(9), undefined],
    ['JSON as deep as it gets', '['.repeat(8000) + ']'.repeat(8000), undefined],
    ['JSON that broke off', '{"message":"wrong pass', undefined],
    ['a text of JSON that broke off', '"wrong pass', undefined],
    [
      'XML',
      '<?xml version="1.0"?><Error><Code>Denied</Code><Message>locked</Message></Error>',
      'locked',
    ],
    ['XML with Code alone', '<Error><Code>Denied</Code></Error>', 'Denied'],
    [
      'XML with a namespace',
      '<e:Error><e:Message xml:lang="en">locked</e:Message></e:Error>',
      'locked',
    ],
    ['XML with entities', '<Message>you &amp; &#x6d;e &lt;3</Message>', 'you & me <3'],
    ['XML with CDATA', '<Message><![CDATA[you & me]]></Message>', 'you & me'],
    ['XML without either', '<Error><Reason>locked</Reason></Error>', undefined],
    ['XML that broke off', '<Error><Message>wrong pass', undefined],
    [
      'an HTML page',
      '<!doctype html><title>No &lt;entry&gt;</title><code>a stack</code>',
      'No <entry>',
    ],
    ['an HTML page without title', '<html><body>Message</body></html>', undefined],
    ['a text', 'wrong password', 'wrong password'],
    ['a text with a byte order mark', '\uFEFF{"message":"locked"}', 'locked'],
    ['nothing', '', undefined],
    ['blanks', ' \n ', undefined],
    ['bytes that are no UTF-8', 'wrong pass\uFFFDord', undefined],
  ])('is read from %s', (_what, body, message) => {
    expect(messageIn(body)).toBe(message)
  })

  test('is one line of at most 500 characters, and ends with a whole one', () => {
    expect(messageIn('a\r\nb\u001B[31mc\u202Ed\u200Be\u2028f\uD800g\u0085')).toBe(
      'a  b [31mc d e f g',
    )
    expect(messageIn('no! '.repeat(1000))).toHaveLength(499)
    expect(messageIn(`${'no! '.repeat(124)}abc😀😀`)).toBe(`${'no! '.repeat(124)}abc`)
  })

  test('holds nothing that acts on a terminal or a log, whatever the body', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        fc.constantFrom('whole', 'cut', 'none'),
        (body, plainText) => {
          const message = readServerMessage(body, plainText, [password])
          if (message === undefined) return
          expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
          expect(message.length).toBeLessThanOrEqual(500)
          expect(message).not.toBe('')
        },
      ),
    )
  })

  test('of a body that goes on is one that was received to its end', () => {
    const cut = (body: string) => readServerMessage(body, 'cut', [password])
    expect(cut('<Error><Message>locked</Message><Detail>and so')).toBe('locked')
    expect(cut('{"Message":"locked","Detail":"and so')).toBeUndefined()
    expect(cut('wrong password Tr0ub4d')).toBeUndefined()
    expect(cut('no! '.repeat(150) + 'Tr0ub4d')).toBeUndefined()
    expect(cut('no! '.repeat(4000))).toHaveLength(499)
  })

  test('is no plain text where that could be the token', () => {
    const ofSuccess = (body: string) => readServerMessage(body, 'none', [password])
    expect(['a-token', '"a-token"', '["a-token"]'].map(ofSuccess)).toEqual(Array(3).fill(undefined))
    expect(ofSuccess('{"Message":"locked"}')).toBe('locked')
    expect(ofSuccess('<Message>locked</Message>')).toBe('locked')
  })

  test('names the user', () => {
    const message = 'user reader@example.com of tenant-0001 is locked'
    expect(messageIn(JSON.stringify({ message }))).toBe(message)
  })

  test.each([
    ['a JWT', 'bad token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.abc'],
    ['a key in hex', 'key 0123456789abcdef01234567'],
    ['a key in base64', 'key abcdefghijkl+/nopqrstu2='],
    ['a key that control characters split', 'key 0123456789ab\u0000cdef01234567'],
    ['a key that is percent-encoded', 'key abcdefghijklm%2B%2Fnopqrstu2'],
    ['an entity that is not known here', 'p&auml;ssword'],
    ['escapes without end', `&${'amp;'.repeat(7)}lt;`],
  ])('is dropped where it holds %s', (_what, text) => {
    expect(messageIn(text)).toBeUndefined()
    expect(messageIn(JSON.stringify({ message: text }))).toBeUndefined()
  })

  test.each([
    'Benutzerauthentifizierungsfehler',
    'reference 0123456789abcdef0123456',
    'at 2026-11-22T11:03:39.000Z',
  ])('is kept where it holds %s', (text) => {
    expect(messageIn(text)).toBe(text)
  })

  test('takes no more time for a body that is made to take it', () => {
    const bodies = ['<message '.repeat(1800), '<message><![CDATA['.repeat(900), '&'.repeat(16_000)]
    bodies.push(
      'a'.repeat(16_000),
      '%25'.repeat(5000),
      '\\'.repeat(16_000),
      '{"error":'.repeat(1800),
    )
    const startedAt = performance.now()
    for (const body of bodies) readServerMessage(body, 'whole', ['p'.repeat(5000), password])
    readServerMessage('no', 'whole', ['p'.repeat(1_000_000)])
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})

describe('a message that holds the password', () => {
  const inEntities = (text: string) =>
    Array.from(text)
      .map((character) => `&#x${character.codePointAt(0)?.toString(16)};`)
      .join('')
  const inCodes = (text: string, radix: number, before: string, after: string) =>
    Array.from(text, (one) => before + one.codePointAt(0)?.toString(radix) + after).join('')
  const inUnicode = (text: string) =>
    text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const fullWidth = (text: string) =>
    text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
  const between = (mark: string) => (text: string) => Array.from(text).join(mark)

  const forms: readonly (readonly [what: string, encode: (text: string) => string])[] = [
    ['in JSON escapes', inUnicode],
    ['in JSON escapes of capitals', (text) => inUnicode(text).toUpperCase()],
    ['in JSON escapes, twice', (text) => JSON.stringify(inUnicode(text))],
    ['backwards', (text) => Array.from(text).toReversed().join('')],
    ['backwards in JSON escapes', (text) => inUnicode(Array.from(text).toReversed().join(''))],
    ['in hexadecimal entities', inEntities],
    [
      'in decimal entities',
      (text) =>
        Array.from(text)
          .map((one) => `&#${one.codePointAt(0)}`)
          .join(''),
    ],
    ['in hexadecimal entities with zeros before', (text) => inCodes(text, 16, '&#x00000000', ';')],
    ['in decimal entities with zeros before', (text) => inCodes(text, 10, '&#00000000', ';')],
    ['in escapes with braces', (text) => inCodes(text, 16, '\\u{', '}')],
    ['in escapes with braces and zeros', (text) => inCodes(text, 16, '\\u{0000', '}')],
    ['as code points', (text) => inCodes(text, 16, 'U+00', ' ')],
    ['as numbers in hex', (text) => inCodes(text, 16, '0x', ', ')],
    ['in entities within entities', (text) => inEntities(inEntities(text))],
    [
      'percent-encoded three times',
      (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
    ],
    ['percent-encoded as by `escape`', (text) => inUnicode(text).replaceAll('\\', '%')],
    ['in base64 of user and password', (text) => base64(`reader@example.com:${text}`)],
    ['in base64 of base64', (text) => base64(base64(text))],
    [
      'in base64 of the request',
      (text) => base64(JSON.stringify({ Username: 'a', Password: text })),
    ],
    ['in base64 of a form', (text) => base64(`u=a&p=${encodeURIComponent(text)}&b=c`)],
    ['in base64 of percent-encoding', (text) => base64(encodeURIComponent(text))],
    ['in base64 of JSON', (text) => base64(JSON.stringify(text))],
    ['in base64url', (text) => Buffer.from(text).toString('base64url')],
    ['in base64 of one case', (text) => base64(text).toUpperCase()],
    ['in hex of base64', (text) => Buffer.from(base64(text)).toString('hex')],
    ['in capitals', (text) => text.toUpperCase()],
    ['in small letters', (text) => text.toLowerCase()],
    ['in letters of full width', fullWidth],
    ['decomposed', (text) => text.normalize('NFD')],
    ['composed', (text) => text.normalize('NFC')],
    ['without accents', (text) => text.normalize('NFD').replace(/\p{M}/gu, '')],
    ['split by NUL', between('\0')],
    ['split by line breaks', between('\r\n')],
    ['split by blanks', between(' ')],
    ['split by zero-width joiners', between('\u200D')],
    ['split by variation selectors', between('\uFE0F')],
    ['split by halves of characters', between('\uD800')],
    ['split by hyphens', between('-')],
    [
      'in hex with colons',
      (text) =>
        Buffer.from(text)
          .toString('hex')
          .replace(/..(?=.)/g, '$&:'),
    ],
    [
      'percent-encoded, with NUL between',
      (text) => Array.from(encodeURIComponent(text)).join('\0'),
    ],
  ]
  const passwords = [
    password,
    'hunter2',
    'pässwörd',
    'Ünïcode 😀 secret',
    'p+/=-_.~!',
    'a\nb\tc d\\e',
    '  padded  ',
    '%aa"',
    '%41\\u0042&lt;"',
  ]

  test.each(passwords)('%j is dropped, whatever the form', (own) => {
    const isAscii = /^[\0-\x7F]*$/.test(own)
    // In UTF-16 that is read as Latin-1, other letters are no longer what they were.
    const readable = encodedForms(own).filter((form) => isAscii || !form.includes('\0'))
    const isOfMarks = own.replace(/[^\p{L}\p{N}]/gu, '').length < 4
    const known = forms.filter(([what]) => !isOfMarks || what !== 'split by hyphens')
    const shown = [own, ...known.map(([, encode]) => encode(own)), ...readable].flatMap((form) => {
      const text = `the password (${form}) is wrong`
      return [text, JSON.stringify({ Message: text }), JSON.stringify({ error: { Code: form } })]
    })
    expect(shown.filter((body) => readServerMessage(body, 'whole', [own]) !== undefined)).toEqual(
      [],
    )
  })

  test.each(forms)('%s is dropped, whatever the password and the words around', (what, encode) => {
    const letters = fc.string({
      unit: fc.constantFrom(...Array.from('abcXYZ019!"%&+/<\\äß€😀')),
      minLength: 4,
      maxLength: 8,
    })
    fc.assert(
      fc.property(letters, fc.lorem(), (own, words) => {
        fc.pre(what !== 'split by hyphens' || own.replace(/[^\p{L}\p{N}]/gu, '').length >= 4)
        const body = JSON.stringify({ message: `${words} ${encode(own)} ${words}` })
        expect(readServerMessage(body, 'whole', [own])).toBeUndefined()
      }),
    )
  })

  test('is dropped as a whole where it stands beyond what is shown', () => {
    expect(messageIn(`${'no! '.repeat(123)}${password}`)).toBeUndefined()
    expect(messageIn(`${'no! '.repeat(1000)}${password}`)).toBeUndefined()
  })

  test('or that of another secret is dropped', () => {
    expect(messageIn('no token abc 1 for you', 'abc 1')).toBeUndefined()
  })

  test('of which it is the beginning or the end is dropped, and not the other way round', () => {
    expect(readServerMessage('not zebra-crossing', 'whole', ['zebra'])).toBeUndefined()
    expect(readServerMessage('not zebra', 'whole', ['zebra-crossing'])).toBe('not zebra')
  })

  test.each(['a', 'of', 'abc', '1', 'a1!', 'Ä', 'oÄo', '!!'])(
    'the short %j is dropped as a word alone',
    (own) => {
      for (const text of [
        `'${own}' is wrong`,
        `wrong: ${own}`,
        own,
        encodeURIComponent(`(${own})`),
      ]) {
        expect(readServerMessage(JSON.stringify({ message: text }), 'whole', [own])).toBeUndefined()
      }
      expect(readServerMessage('unknown user, wrong password', 'whole', [own])).toBe(
        'unknown user, wrong password',
      )
    },
  )

  test('is dropped in base64 even where it is short', () => {
    for (const own of ['a', 'ab', 'abc']) {
      const body = `got ${Buffer.from(own).toString('base64')} there`
      expect(readServerMessage(body, 'whole', [own])).toBeUndefined()
    }
  })

  test('that nobody can see drops nothing', () => {
    expect(readServerMessage('wrong password', 'whole', ['\u200B \t'])).toBe('wrong password')
  })
})

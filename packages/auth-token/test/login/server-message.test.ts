import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readServerMessage } from '../testing.ts'

const password = 'Tr0ub4dor&3 "zebra"'
const messageIn = (body: string, ...secrets: string[]): string | undefined =>
  readServerMessage(body, [password, ...secrets])
const inJson = (message: string): string => JSON.stringify({ message })

describe('the message of a response', () => {
  test.each<[what: string, body: string, message: string | undefined]>([
    ['message', '{"message":"wrong password"}', 'wrong password'],
    ['Message, whatever stands before it', '{"Code":"Denied","Message":"wrong"}', 'wrong'],
    [
      'error_description of OAuth',
      '{"error":"invalid_grant","error_description":"no"}',
      'invalid_grant: no',
    ],
    ['detail before title', '{"type":"about:blank","title":"No","detail":"locked"}', 'locked'],
    ['title', '{"type":"about:blank","title":"No"}', 'No'],
    ['error of OAuth', '{"error":"invalid_grant"}', 'invalid_grant'],
    ['a text with a byte order mark', '\uFEFF{"message":"locked"}', 'locked'],
    ['the next one where the first is no text', '{"message":7,"detail":"locked"}', 'locked'],
    ['the next one where the first is empty', '{"message":" ","title":"No"}', 'No'],
    [
      'XML',
      '<?xml version="1.0"?><Error><Code>D</Code><Message>locked</Message></Error>',
      'locked',
    ],
    ['XML with a namespace', '<e:Error><e:Message xml:lang="en">no</e:Message></e:Error>', 'no'],
    ['XML with CDATA', '<Message><![CDATA[you & me]]></Message>', 'you & me'],
  ])('is read from %s', (_what, body, message) => {
    expect(messageIn(body)).toBe(message)
  })

  test.each<[what: string, body: string]>([
    ['a text, which could be a token', 'locked'],
    ['a text of JSON', '"locked"'],
    ['a list', '["locked",{"message":"a"}]'],
    ['another field', '{"code":"locked"}'],
    ['a number', '401'],
    ['null', 'null'],
    ['names of the prototype', '{"__proto__":{"message":"a"},"constructor":"b"}'],
    ['JSON that broke off', '{"message":"wrong pass'],
    ['JSON as deep as it gets', '['.repeat(8000) + ']'.repeat(8000)],
    ['XML without it', '<Error><Reason>locked</Reason></Error>'],
    ['XML that broke off', '<Error><Message>wrong pass'],
    ['an HTML page', '<!doctype html><title>No</title><p>Message</p>'],
    ['nothing', ' \n '],
  ])('is not there in %s', (_what, body) => {
    expect(messageIn(body)).toBeUndefined()
  })

  test('is one line of 500 characters with nothing that acts on a terminal or a log', () => {
    expect(messageIn(inJson('a\r\nb\u001B[31mc\u202Ed\u200Be\u2028f\uFFFDg\u0085'))).toBe(
      'a  b [31mc d e f g',
    )
    expect(messageIn(inJson('no! '.repeat(1000)))).toHaveLength(499)
    expect(messageIn(inJson(`${'no! '.repeat(124)}abc😀😀`))).toBe(`${'no! '.repeat(124)}abc`)
  })

  test.each<[how: string, form: string]>([
    ['as it stands', password],
    ['in upper case', password.toUpperCase()],
    ['percent-encoded', encodeURIComponent(password)],
    ['in base64', Buffer.from(password).toString('base64')],
    ['in base64 of a URL', Buffer.from(password).toString('base64url')],
    ['escaped as in JSON', JSON.stringify(password).slice(1, -1)],
  ])('is withheld with a secret in it %s, also beyond what is shown', (_how, form) => {
    expect(messageIn(inJson(`no user with ${form}`))).toBeUndefined()
    expect(messageIn(inJson('no! '.repeat(200) + form))).toBeUndefined()
    expect(messageIn(`<Message><![CDATA[no ${form}]]></Message>`)).toBeUndefined()
    expect(messageIn(inJson('a token of its own'), 'token of its')).toBeUndefined()
  })

  test('is shown although a secret of three letters stands in it by chance', () => {
    expect(messageIn(inJson('you are locked out'), 'are')).toBe('you are locked out')
  })

  test('is a line or nothing, whatever the body and the secrets are', () => {
    const bodies = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.string().map(inJson))
    const secret = fc.string({ unit: 'binary', maxLength: 2000 })
    fc.assert(
      fc.property(bodies, secret, (body, own) => {
        const message = readServerMessage(body, [own]) ?? 'nothing'
        expect(message).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{1,500}$/u)
      }),
    )
  })
})

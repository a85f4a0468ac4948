import { describe, expect, test } from 'vitest'
import {
  exactKey,
  file,
  type FormPart,
  goodForm,
  key,
  policyWith,
  posting,
  signatureFields,
  signedParts,
  writeForm,
} from '../support/post-form.ts'

describe('a signature that is wrong', () => {
  const parts = signedParts(policyWith([exactKey]))
  const replaced = (name: string, value: string): FormPart[] =>
    goodForm.map((part) => (part[0] === name ? [name, value] : part))
  const credential = (from: string, to: string): FormPart[] =>
    replaced('x-amz-credential', signatureFields['x-amz-credential'].replace(from, to))

  test.each<[what: string, form: readonly FormPart[], status: number, code: string]>([
    [
      'by another secret',
      [key, ...signedParts(policyWith([exactKey]), 'x'), file],
      403,
      'SignatureDoesNotMatch',
    ],
    [
      'of another policy',
      replaced('policy', Buffer.from(policyWith([])).toString('base64')),
      403,
      'SignatureDoesNotMatch',
    ],
    ['by an unknown key', credential('TESTKEY', 'OTHERKEY'), 403, 'InvalidAccessKeyId'],
    ['for another region', credential('us-east-1', 'eu-west-1'), 400, 'InvalidArgument'],
    ['for another service', credential('/s3/', '/sts/'), 400, 'InvalidArgument'],
    ['of another day', credential('20260102', '20260101'), 400, 'InvalidArgument'],
    [
      'by another algorithm',
      replaced('x-amz-algorithm', 'AWS4-ECDSA-P256-SHA256'),
      400,
      'InvalidArgument',
    ],
    ['with a token of no use', [['x-amz-security-token', 't'], ...goodForm], 400, 'InvalidToken'],
    [
      'that is missing',
      goodForm.filter(([name]) => name !== 'x-amz-signature'),
      400,
      'InvalidArgument',
    ],
    ['without a policy', goodForm.filter(([name]) => name !== 'policy'), 403, 'AccessDenied'],
    ['behind the file', [key, file, ...parts], 403, 'AccessDenied'],
    ['with the key behind the file', [...parts, file, key], 400, 'UserKeyMustBeSpecified'],
    ['of a form with two keys', [key, ['KEY', 'other'], ...parts, file], 400, 'InvalidArgument'],
    ['without a file', [key, ...parts], 400, 'IncorrectNumberOfFilesInPostRequest'],
  ])('%s', async (_, form, status, code) => {
    const { post, stored } = await posting()
    const response = await post(writeForm(form))
    expect(response.text).toContain(`<Code>${code}</Code>`)
    expect(response.status).toBe(status)
    expect(await stored()).toEqual([])
  })
})

describe('a hostile form', () => {
  const good = writeForm(goodForm)

  test.each<[what: string, body: string, contentType?: string]>([
    ['without a boundary', good, 'multipart/form-data'],
    ['with an empty boundary', good, 'multipart/form-data; boundary=""'],
    ['with a boundary that is too long', good, `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['with another boundary', good, 'multipart/form-data; boundary=c'],
    ['that is empty', ''],
    ['that is cut in its file', good.slice(0, -8)],
    ['that is cut in a field', good.slice(0, 90)],
    ['whose part has no end of its head', good.replace('\r\n\r\n', '\r\n')],
    ['whose part has no name', good.replace('name="key"', 'nom="key"')],
    ['whose part is no field of a form', good.replace('form-data', 'attachment')],
    [
      'whose file has a line that begins like the delimiter',
      good.replace('hello', 'he\r\n--bad\r\nllo'),
    ],
    ['whose head is long', good.replace('"key"', `"${'k'.repeat(9000)}"`)],
  ])('%s is malformed', async (_, body, contentType) => {
    const { post, stored } = await posting()
    const response = await post(body, contentType)
    expect(response.text).toContain('<Code>MalformedPOSTRequest</Code>')
    expect(response.status).toBe(400)
    expect(await stored()).toEqual([])
  })

  test('of 1,000 fields, and one of long fields, is too large before its file', async () => {
    const { post, stored } = await posting()
    const many = Array.from({ length: 1000 }, (_, index): FormPart => [`x-ignore-${index}`, ''])
    for (const extra of [many, [['x-ignore-a', 'x'.repeat(20_480)] as const]]) {
      const { status, text } = await post(writeForm([...extra, ...goodForm]))
      expect([status, text]).toEqual([400, expect.stringContaining('MaxPostPreDataLength')])
    }
    expect(await stored()).toEqual([])
  })

  test('may have a preamble, blanks behind a delimiter, and anything behind its file', async () => {
    const { post, stored } = await posting()
    const body = `preamble --b\r\n${writeForm([...goodForm, ['acl', 'ignored'], ['file', 'second']])}`
    expect((await post(body.replaceAll('--b\r\nc', '--b \t\r\nc'))).status).toBe(204)
    expect(await stored()).toEqual(['a/b.txt'])
  })

  test('of another kind, or to an object, is a request that is not signed', async () => {
    const { post, stored } = await posting()
    for (const [contentType, target] of [
      ['application/x-www-form-urlencoded', '/V1'],
      ['multipart/mixed; boundary=b', '/V1'],
      ['multipart/form-data; boundary=b', '/V1/a/b.txt'],
      ['multipart/form-data; boundary=b', '/other'],
    ] as const) {
      const { status, text } = await post(good, contentType, target)
      expect([status, text]).toEqual([403, expect.stringContaining('not signed')])
    }
    expect(await stored()).toEqual([])
  })

  test('cannot store a header that no response could bring', async () => {
    const { post, signed } = await posting()
    const fields: FormPart[] = [
      ['x-amz-meta-a b', 'x'],
      ['x-amz-meta-c', 'a\r\nset-cookie: x'],
      ['x-amz-meta-d', ' kept '],
      ['__proto__', 'x'],
    ]
    const conditions = fields.map(([name]) => ['starts-with', `$${name}`, ''])
    const parts = signedParts(policyWith([exactKey, ...conditions]))
    expect((await post(writeForm([key, ...fields, ...parts, file]))).status).toBe(204)
    const { status, headers, text } = await signed({ target: '/V1/a/b.txt' })
    expect([status, text]).toEqual([200, 'hello'])
    expect(Object.keys(headers).filter((name) => /meta|cookie/.test(name))).toEqual([
      'x-amz-meta-d',
    ])
  })
})

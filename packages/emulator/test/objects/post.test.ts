import { describe, expect, test } from 'vitest'
import {
  exactKey,
  file,
  type FormPart,
  goodForm,
  key,
  policyWith,
  posting,
  signedParts,
  writeForm,
} from '../support/post-form.ts'

test('a form whose policy is signed and met is stored', async () => {
  const { emulator, post, signed } = await posting()
  const meta: FormPart[] = [
    ['x-amz-meta-user', 'ünï'],
    ['Content-Type', 'text/plain'],
    ['x-ignore-this', 'anything'],
  ]
  const conditions = [
    exactKey,
    { 'x-amz-meta-user': 'ünï' },
    ['starts-with', '$content-type', 'text/'],
  ]
  const form = [key, ...meta, ...signedParts(policyWith(conditions)), file]
  const response = await post(writeForm(form))
  expect(response).toMatchObject({
    status: 204,
    headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' },
    text: '',
  })
  expect(response.headers['location']).toMatch(/\/V1\/a\/b\.txt$/)
  expect(emulator.requests.at(-1)?.auth).toEqual({
    scheme: 'sigv4',
    ok: true,
    accessKeyId: 'TESTKEY',
  })
  expect(await signed({ target: '/V1/a/b.txt' })).toMatchObject({
    status: 200,
    text: 'hello',
    headers: {
      'content-type': 'text/plain',
      'x-amz-meta-user': Buffer.from('ünï').toString('latin1'),
    },
  })
})

test.each([
  ['own.txt', 'in/own.txt'],
  ['C:\\Program Files\\own.txt', 'in/own.txt'],
  ['../../own.txt', 'in/own.txt'],
  ['$&.txt', 'in/$&amp;.txt'],
  ['', 'in/'],
])('the name %s of a file takes the place of ${filename}', async (filename, expected) => {
  const { post, stored } = await posting()
  const parts = signedParts(policyWith([['starts-with', '$key', 'in/']]))
  const form: FormPart[] = [['key', 'in/${filename}'], ...parts, ['file', 'x', filename]]
  expect((await post(writeForm(form))).status).toBe(204)
  expect(await stored()).toEqual([expected])
})

test('the name of a file is part of the key that the policy must allow', async () => {
  const { post, stored } = await posting()
  const parts = signedParts(policyWith([['starts-with', '$key', 'in/a']]))
  const form: FormPart[] = [['key', 'in/${filename}'], ...parts, ['file', 'x', 'b']]
  const { status, text } = await post(writeForm(form))
  expect(status).toBe(403)
  expect(text).toContain('Policy Condition failed: [&quot;starts-with&quot;, &quot;$key&quot;')
  expect(await stored()).toEqual([])
})

test.each([
  ['200', 200, ''],
  ['201', 201, '<Key>a/b.txt</Key>'],
  ['204', 204, ''],
  ['500', 204, ''],
])('success_action_status %s is a %i', async (asked, status, text) => {
  const { post } = await posting()
  const parts = signedParts(policyWith([exactKey, { success_action_status: asked }]))
  const response = await post(writeForm([key, ['success_action_status', asked], ...parts, file]))
  expect(response.status).toBe(status)
  expect(response.text).toContain(text)
})

test('success_action_redirect leads back with the key and the entity tag', async () => {
  const { post } = await posting()
  const to = 'https://app.example.com/done?x=1#y'
  const parts = signedParts(policyWith([exactKey, { success_action_redirect: to }]))
  const response = await post(writeForm([key, ['success_action_redirect', to], ...parts, file]))
  expect(response.status).toBe(303)
  const etag = '%225d41402abc4b2a76b9719d911017c592%22'
  expect(response.headers['location']).toBe(
    `https://app.example.com/done?x=1&bucket=V1&key=a%2Fb.txt&etag=${etag}#y`,
  )
})

describe('a policy that is not met stores nothing', () => {
  test.each<
    [what: string, conditions: unknown[], fields: FormPart[], status: number, code: string]
  >([
    ['another key', [{ key: 'a/c.txt' }], [], 403, 'AccessDenied'],
    ['no condition for a field', [exactKey], [['acl', 'private']], 403, 'AccessDenied'],
    ['a field that is missing', [exactKey, ['starts-with', '$acl', '']], [], 403, 'AccessDenied'],
    [
      'one type of a list',
      [exactKey, ['starts-with', '$Content-Type', 'image/']],
      [['Content-Type', 'image/png,text/html']],
      403,
      'AccessDenied',
    ],
    ['another bucket', [exactKey, ['eq', '$bucket', 'V2']], [], 403, 'AccessDenied'],
    ['a large file', [exactKey, ['content-length-range', 0, 4]], [], 400, 'EntityTooLarge'],
    ['a small file', [exactKey, ['content-length-range', 6, 9]], [], 400, 'EntityTooSmall'],
    [
      'the smaller of two ranges',
      [exactKey, ['content-length-range', 0, 9], ['content-length-range', '1', '4']],
      [],
      400,
      'EntityTooLarge',
    ],
    ['an unknown match', [exactKey, ['ends-with', '$key', 't']], [], 400, 'InvalidPolicyDocument'],
    ['a value that is no text', [{ key: 5 }], [], 400, 'InvalidPolicyDocument'],
    ['a field without $', [['eq', 'key', 'a/b.txt']], [], 400, 'InvalidPolicyDocument'],
    ['half a range', [exactKey, ['content-length-range', 1]], [], 400, 'InvalidPolicyDocument'],
    ['a negative range', [['content-length-range', -1, 5]], [], 400, 'InvalidPolicyDocument'],
  ])('%s', async (_, conditions, fields, status, code) => {
    const { emulator, post, stored } = await posting()
    const response = await post(
      writeForm([key, ...fields, ...signedParts(policyWith(conditions)), file]),
    )
    expect(response.text).toContain(`<Code>${code}</Code>`)
    expect(response.status).toBe(status)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: false, code })
    expect(await stored()).toEqual([])
  })

  test.each([
    ['not JSON', '{'],
    ['a list', '[]'],
    ['no conditions', '{"expiration":"2026-01-02T04:00:00Z"}'],
    ['no expiration', '{"conditions":[]}'],
    ['a local time', '{"expiration":"2026-01-02 04:00","conditions":[]}'],
    ['more than both', '{"expiration":"2026-01-02T04:00:00Z","conditions":[],"allow":"all"}'],
    ['an empty text', ''],
  ])('a document that is %s', async (_, policy) => {
    const { post, stored } = await posting()
    const { status } = await post(writeForm([key, ...signedParts(policy), file]))
    expect(status).toBe(policy === '' ? 403 : 400)
    expect(await stored()).toEqual([])
  })

  test('its bucket is not named', async () => {
    const { post, stored } = await posting()
    const policy = policyWith([exactKey]).replace('{"bucket":"V1"},', '')
    const { text } = await post(writeForm([key, ...signedParts(policy), file]))
    expect(text).toContain('Extra input fields: bucket')
    expect(await stored()).toEqual([])
  })

  test('its time is over', async () => {
    const { post, stored, time } = await posting()
    time.now = Date.parse('2026-01-02T04:00:00.001Z')
    const { status, text } = await post(writeForm(goodForm))
    expect([status, text]).toEqual([403, expect.stringContaining('Policy expired.')])
    time.now -= 3_000_000
    expect(await stored()).toEqual([])
  })
})

test('a digest of the file is checked', async () => {
  const { post, stored } = await posting()
  const digest = (value: string): FormPart[] => [
    key,
    ['Content-MD5', value],
    ...signedParts(policyWith([exactKey, ['starts-with', '$Content-MD5', '']])),
    file,
  ]
  expect((await post(writeForm(digest('AAAAAAAAAAAAAAAAAAAAAA==')))).text).toContain('BadDigest')
  expect(await stored()).toEqual([])
  expect((await post(writeForm(digest('XUFAKrxLKna5cZ2REBfFkg==')))).status).toBe(204)
})

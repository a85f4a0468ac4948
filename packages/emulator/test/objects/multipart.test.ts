import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listening } from '../support/emulator.ts'

type Signed = Awaited<ReturnType<typeof listening>>['signed']
type Headers = readonly (readonly [name: string, value: string])[]

const text = (name: string, xml: string): string =>
  new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ''
const md5 = (data: string | Uint8Array): string => createHash('md5').update(data).digest('hex')
const big = 'a'.repeat(5 * 1024 * 1024)

async function begin(signed: Signed, headers: Headers = []): Promise<string> {
  const target = '/V1/a%20b?uploads'
  const response = await signed({ method: 'POST', target, canonicalQuery: 'uploads=', headers })
  expect(response.status).toBe(200)
  expect(text('Key', response.text)).toBe('a b')
  return text('UploadId', response.text)
}

const put = (
  signed: Signed,
  id: string,
  part: number | string,
  body: string,
  headers: Headers = [],
) => signed({ method: 'PUT', target: `/V1/a%20b?partNumber=${part}&uploadId=${id}`, body, headers })

const complete = (signed: Signed, id: string, parts: readonly (readonly [number, string])[]) => {
  const listed = parts.map(
    ([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
  return signed({ method: 'POST', target: `/V1/a%20b?uploadId=${id}`, body })
}

const refused = ({ status, text: xml }: { readonly status: number; readonly text: string }) => [
  status,
  text('Code', xml),
]

test('parts become an object, whose entity tag is the digest of their digests', async () => {
  const { signed } = await listening()
  const id = await begin(signed, [['content-type', 'text/csv']])
  await put(signed, id, 2, 'b')
  const first = await put(signed, id, 1, big)
  expect(first).toMatchObject({ status: 200, headers: { etag: `"${md5(big)}"` } })
  expect((await signed({ target: '/V1/a%20b' })).status).toBe(404)
  const done = await complete(signed, id, [
    [1, `&quot;${md5(big)}&quot;`],
    [2, md5('b')],
  ])
  const both = Buffer.concat([Buffer.from(md5(big), 'hex'), Buffer.from(md5('b'), 'hex')])
  expect(done.status).toBe(200)
  expect(text('ETag', done.text)).toBe(`&quot;${md5(both)}-2&quot;`)
  const got = await signed({ target: '/V1/a%20b' })
  expect(got.text).toBe(`${big}b`)
  expect(got.headers).toMatchObject({ 'content-type': 'text/csv', etag: `"${md5(both)}-2"` })
  expect(refused(await complete(signed, id, [[1, md5(big)]]))).toEqual([404, 'NoSuchUpload'])
})

test('a part that comes again replaces the one before, and parts may be left out', async () => {
  const { signed } = await listening()
  const id = await begin(signed)
  for (const body of ['first', 'again']) await put(signed, id, 7, body)
  await put(signed, id, 9, 'left out')
  expect(refused(await complete(signed, id, [[7, md5('first')]]))).toEqual([400, 'InvalidPart'])
  expect((await complete(signed, id, [[7, md5('again')]])).status).toBe(200)
  expect((await signed({ target: '/V1/a%20b' })).text).toBe('again')
})

describe('an upload that is wrong is refused, and stays', () => {
  test.each([
    [
      'a small part before the last',
      [
        [1, 'a'],
        [2, 'b'],
      ],
      400,
      'EntityTooSmall',
    ],
    [
      'parts in another order',
      [
        [2, 'b'],
        [1, 'a'],
      ],
      400,
      'InvalidPartOrder',
    ],
    [
      'a part twice',
      [
        [1, 'a'],
        [1, 'a'],
      ],
      400,
      'InvalidPartOrder',
    ],
    [
      'a part that never came',
      [
        [1, 'a'],
        [3, 'c'],
      ],
      400,
      'InvalidPart',
    ],
    ['another entity tag', [[1, 'b']], 400, 'InvalidPart'],
    ['no parts', [], 400, 'MalformedXML'],
  ] as const)('%s', async (_name, parts, status, code) => {
    const { signed } = await listening()
    const id = await begin(signed)
    await put(signed, id, 1, 'a')
    await put(signed, id, 2, 'b')
    const named = parts.map(([number, body]): [number, string] => [number, md5(body)])
    expect(refused(await complete(signed, id, named))).toEqual([status, code])
    expect((await complete(signed, id, [[2, md5('b')]])).status).toBe(200)
  })

  test.each([0, 10_001, '-1', 'x', ''])('the part number %j', async (number) => {
    const { signed } = await listening()
    const id = await begin(signed)
    expect(refused(await put(signed, id, number, 'a'))).toEqual([400, 'InvalidArgument'])
  })

  test('a body that is no list of parts', async () => {
    const { signed } = await listening()
    const target = `/V1/a%20b?uploadId=${await begin(signed)}`
    for (const body of ['', '<Part>', '<CompleteMultipartUpload><Part></Part>']) {
      const response = await signed({ method: 'POST', target, body })
      expect(refused(response)).toEqual([400, 'MalformedXML'])
    }
  })

  test('an upload that is unknown, of another key, or aborted', async () => {
    const { signed } = await listening()
    const id = await begin(signed)
    const other = { method: 'PUT', target: `/V1/other?partNumber=1&uploadId=${id}`, body: 'a' }
    expect(refused(await signed(other))).toEqual([404, 'NoSuchUpload'])
    expect(refused(await put(signed, 'unknown', 1, 'a'))).toEqual([404, 'NoSuchUpload'])
    const target = `/V1/a%20b?uploadId=${id}`
    expect((await signed({ method: 'DELETE', target })).status).toBe(204)
    expect(refused(await signed({ method: 'DELETE', target }))).toEqual([404, 'NoSuchUpload'])
    expect(refused(await put(signed, id, 1, 'a'))).toEqual([404, 'NoSuchUpload'])
  })
})

test('an upload that announces a checksum wants it with each part', async () => {
  const { signed } = await listening()
  const id = await begin(signed, [['x-amz-checksum-algorithm', 'SHA256']])
  const sha256 = createHash('sha256').update('a').digest('base64')
  expect(refused(await put(signed, id, 1, 'a'))).toEqual([400, 'InvalidRequest'])
  const crc32: Headers = [['x-amz-checksum-crc32', '6Le+Qw==']]
  expect(refused(await put(signed, id, 1, 'a', crc32))).toEqual([400, 'InvalidRequest'])
  const wrong: Headers = [['x-amz-checksum-sha256', createHash('sha256').digest('base64')]]
  expect(refused(await put(signed, id, 1, 'a', wrong))).toEqual([400, 'BadDigest'])
  const right = await put(signed, id, 1, 'a', [['x-amz-checksum-sha256', sha256]])
  expect(right).toMatchObject({ status: 200, headers: { 'x-amz-checksum-sha256': sha256 } })
})

test('parts and uploads are listed in pages', async () => {
  const { signed, emulator } = await listening()
  const id = await begin(signed)
  for (const part of [3, 1, 2]) await put(signed, id, part, String(part))
  const target = `/V1/a%20b?max-parts=2&uploadId=${id}`
  const page = await signed({ target })
  const numbers = (xml: string): string[] =>
    Array.from(xml.matchAll(/<PartNumber>(\d+)/g), ([, number = '']) => number)
  expect([numbers(page.text), text('IsTruncated', page.text)]).toEqual([['1', '2'], 'true'])
  const next = `/V1/a%20b?max-parts=2&part-number-marker=2&uploadId=${id}`
  const last = await signed({ target: next })
  expect([numbers(last.text), text('IsTruncated', last.text)]).toEqual([['3'], 'false'])
  await begin(signed)
  const ids: string[] = []
  for (let query = 'max-uploads=1&uploads='; ;) {
    const { text: xml } = await signed({ target: `/V1/?${query}` })
    ids.push(text('UploadId', xml))
    if (text('IsTruncated', xml) === 'false') break
    query = `key-marker=a%20b&max-uploads=1&upload-id-marker=${ids.at(-1)}&uploads=`
  }
  expect(new Set(ids).size).toBe(2)
  expect(ids).toContain(id)
  emulator.reset()
  expect(refused(await put(signed, id, 1, 'a'))).toEqual([404, 'NoSuchUpload'])
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listening } from '../support/emulator.ts'
import { awkwardKeys } from '../fixtures/awkward-keys.ts'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { testKey } from '../support/sign.ts'

// Each call of a tool is a process, which a busy machine starts slowly.
const hasCurl = hasProgram(
  'curl with --aws-sigv4',
  ['curl', '--aws-sigv4', 'aws:amz:us-east-1:s3', '--version'],
  'apt-get install -y --no-install-recommends curl',
)

const unsigned = ['-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD']

function hashOf(body: string): string[] {
  return ['-H', `x-amz-content-sha256: ${createHash('sha256').update(body).digest('hex')}`]
}

async function curl(url: URL | string, args: readonly string[], secret = testKey.secretAccessKey) {
  const sign = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '-u', `${testKey.accessKeyId}:${secret}`]
  const plain = ['-q', '-sS', '-g', '--noproxy', '*', '-w', '\n%{http_code}']
  const { stdout } = await run('curl', [...plain, ...sign, ...args, String(url)])
  const mark = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(mark + 1)), text: stdout.slice(0, mark) }
}

describe.skipIf(!hasCurl)('curl, a client that shares nothing with this project,', () => {
  test('puts, gets, lists and deletes', async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    const url = new URL('/V1/a%20b/%C3%BC.txt', server.url)
    const put = ['-X', 'PUT', '--data-binary', 'hello', '-H', 'content-type: text/plain']
    expect((await curl(url, [...put, ...hashOf('hello')])).status).toBe(200)
    expect(await curl(url, hashOf(''))).toEqual({ status: 200, text: 'hello' })
    const range = ['-H', 'range: bytes=1-2', ...unsigned]
    expect(await curl(url, range)).toEqual({ status: 206, text: 'el' })
    const asJson = [...unsigned, '-H', 'accept: application/json']
    const listed = await curl(new URL('/V1/?a=1&b=2', server.url), asJson)
    expect(listed).toEqual({ status: 200, text: '["/V1/a%20b/%C3%BC.txt"]' })
    expect((await curl(url, ['-X', 'DELETE', ...unsigned])).status).toBe(204)
    for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
  })

  const keys = atNight(
    awkwardKeys,
    awkwardKeys.filter((_, index) => index % 4 === 1),
  )
  // A key with a segment `.` or `..` is beyond it: it resolves them, and refuses `--path-as-is` beside
  // `--aws-sigv4` since version 8. Nor does it encode a path, which is therefore done for it here.
  test(`puts, gets and deletes under ${keys.length} awkward keys`, async () => {
    const { emulator, server } = await listening({ clock: Date.now })
    for (const key of keys) {
      const encoded = encodeURIComponent(key)
        .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
        .replaceAll('%2F', '/')
      const url = `${server.url.origin}/V1/${encoded}`
      const body = `body of ${key}`
      const put = ['-X', 'PUT', '--data-binary', body, '-H', 'content-type: text/plain']
      expect((await curl(url, [...put, ...hashOf(body)])).status).toBe(200)
      expect(await curl(url, hashOf(''))).toEqual({ status: 200, text: body })
      expect((await curl(url, ['-X', 'DELETE', ...unsigned])).status).toBe(204)
      expect((await curl(url, unsigned)).status).toBe(404)
    }
    for (const { auth } of emulator.requests) expect(auth).toMatchObject({ ok: true })
  })

  test('is refused with a wrong secret, or without the hash of the body', async () => {
    const { server } = await listening({ clock: Date.now })
    const url = new URL('/V1/a', server.url)
    const refused = await curl(url, unsigned, 'wrong')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('<Code>SignatureDoesNotMatch</Code>')
    expect((await curl(url, hashOf('other'))).text).toContain('XAmzContentSHA256Mismatch')
  })
})

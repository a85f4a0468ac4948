import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { browse } from '../../../../tests/support/chromium/browse.ts'
import { hasProgram } from '../../../../tests/support/needs.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { emptyFolder } from '../support/folder.ts'
import { placeholderKey, proxySecret } from '../support/proxy-environment.ts'
import { startProxy } from '../support/start-proxy.ts'

// Each call of a tool is a process, which a busy machine starts slowly.
const install = (name: string): string => `apt-get install -y --no-install-recommends ${name}`
const hasCurl = hasProgram(
  'curl with --aws-sigv4',
  ['curl', '--aws-sigv4', 'aws:amz:us-east-1:s3', '--version'],
  install('curl'),
)
const hasWget = hasProgram('wget', ['wget', '--version'], install('wget'))
const python = '/usr/bin/python3'
const hasRequests = hasProgram(
  'requests',
  [python, '-c', 'import requests'],
  install('python3-requests'),
)
const hasChromium = hasProgram('Chromium', ['chromium', '--version'], install('chromium'))

const plain = ['-q', '-sS', '--noproxy', '*']

describe.runIf(hasCurl)('curl', () => {
  test('reads the secret from a file, and needs nothing else for both schemes', async () => {
    const { emulator, proxyUrl } = await startProxy()
    const folder = await emptyFolder()
    const file = join(folder, 'secret')
    await writeFile(file, `x-svc-proxy-secret: ${proxySecret}\n`)
    const curl = (...args: string[]) => run('curl', [...plain, '-H', `@${file}`, ...args])
    expect((await curl(`${proxyUrl}/user/groups`)).stdout).toMatch(/^\[\{/)
    const data = join(folder, 'data')
    await writeFile(data, randomBytes(2_000_000))
    await curl('-T', data, `${proxyUrl}/V1/a%20b`)
    const back = join(folder, 'back')
    await curl('-o', back, `${proxyUrl}/V1/a%20b`)
    expect((await readFile(back)).equals(await readFile(data))).toBe(true)
    const range = await curl('-r', '0-9', '-w', '%{http_code}', '-o', back, `${proxyUrl}/V1/a%20b`)
    expect(range.stdout).toBe('206')
    expect((await readFile(back)).byteLength).toBe(10)
    const schemes = emulator.requests.map(({ auth }) => auth)
    for (const auth of schemes.filter(({ scheme }) => scheme !== 'none')) {
      expect(auth.ok).toBe(true)
    }
    expect(schemes.map(({ scheme }) => scheme)).toContain('token')
    expect(schemes.map(({ scheme }) => scheme)).toContain('sigv4')
  })

  test('signs with the placeholder key', async () => {
    const { emulator, proxyUrl } = await startProxy()
    const { accessKeyId, secretAccessKey } = placeholderKey
    const hash = createHash('sha256').update('hello').digest('hex')
    const signed = [
      '--aws-sigv4',
      'aws:amz:us-east-1:s3',
      '-u',
      `${accessKeyId}:${secretAccessKey}`,
    ]
    const put = ['-X', 'PUT', '--data-binary', 'hello', '-H', `x-amz-content-sha256: ${hash}`]
    const type = ['-H', 'content-type: text/plain']
    const { stdout } = await run('curl', [
      ...plain,
      ...signed,
      ...put,
      ...type,
      '-w',
      '%{http_code}',
      `${proxyUrl}/V1/a`,
    ])
    expect(stdout).toBe('200')
    const { auth, headers } = emulator.requests.at(-1) ?? {}
    expect(auth).toMatchObject({ ok: true, accessKeyId: 'EMULATORCLIENTKEY' })
    expect(headers?.['x-amz-content-sha256']).toBe(hash)
  })

  test('without a secret it gets nothing, and nothing reaches the service', async () => {
    const { emulator, proxyUrl } = await startProxy()
    const { stdout } = await run('curl', [
      ...plain,
      '-w',
      '\n%{http_code}',
      `${proxyUrl}/user/groups`,
    ])
    expect(stdout).toMatch(/\n40[13]$/)
    expect(emulator.requests).toEqual([])
  })
})

describe.runIf(hasWget)('wget', () => {
  test('downloads, and goes on where a download ended', async () => {
    const { emulator, proxyUrl } = await startProxy()
    const folder = await emptyFolder()
    const data = randomBytes(100_000)
    const header = `--header=x-svc-proxy-secret: ${proxySecret}`
    await fetch(`${proxyUrl}/V1/data`, {
      method: 'PUT',
      headers: { 'x-svc-proxy-secret': proxySecret },
      body: data,
    })
    const file = join(folder, 'data')
    await writeFile(file, data.subarray(0, 40_000))
    const wget = ['--no-proxy', '--quiet', '--continue', header, '-O', file, `${proxyUrl}/V1/data`]
    expect(await run('wget', wget)).toMatchObject({ status: 0 })
    expect((await readFile(file)).equals(data)).toBe(true)
    expect(emulator.requests.at(-1)?.headers['range']).toBe('bytes=40000-')
  })
})

describe.runIf(hasRequests)("Python's requests", () => {
  test('sends JSON and a stream with the secret as a header of its session', async () => {
    const { proxyUrl } = await startProxy()
    const script = new URL('../fixtures/requests-client.py', import.meta.url).pathname
    const task = JSON.stringify({ url: proxyUrl, secret: proxySecret })
    const { status, stdout, stderr } = await run(python, [script], task)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [put, read, stream, groups, refused] = JSON.parse(stdout)
    expect([put, read, groups]).toEqual([200, { a: 1 }, 200])
    // The service takes no body without a length, and says so itself.
    expect(stream).toBe(411)
    expect([401, 403]).toContain(refused)
  })
})

describe.runIf(hasChromium)('a page in a browser', () => {
  test('gets nothing, even if it knows the secret, and reaches the service with nothing', async () => {
    const { emulator, proxyUrl } = await startProxy()
    const page = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>a page</title>')
    })
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void page.close())
    const { port } = page.address() as AddressInfo
    const outcomes = await browse(async (browser) => {
      const tab = await browser.newPage()
      await tab.goto(`http://127.0.0.1:${port}/`)
      return tab.evaluate(
        async ([url, secret]) => {
          const attempt = async (init: RequestInit): Promise<string> => {
            try {
              const response = await fetch(`${url}/user/groups`, init)
              return `${response.type} ${response.status}`
            } catch {
              return 'rejected'
            }
          }
          const image = new Image()
          const shown = new Promise<string>((resolve) => {
            image.addEventListener('load', () => resolve('loaded'))
            image.addEventListener('error', () => resolve('rejected'))
          })
          image.src = `${url}/V1/image.png`
          const form = new FormData()
          form.set('a', 'b')
          return [
            await attempt({}),
            await attempt({ headers: { 'x-svc-proxy-secret': secret } }),
            await attempt({ mode: 'no-cors' }),
            await attempt({ mode: 'no-cors', method: 'POST', body: form }),
            await shown,
          ]
        },
        [proxyUrl, proxySecret] as const,
      )
    })
    expect(outcomes).toEqual(['rejected', 'rejected', 'opaque 0', 'opaque 0', 'rejected'])
    expect(emulator.requests).toEqual([])
  })
})

import { createEmulator } from '@svc/emulator'
import { presign } from '@svc/auth-sigv4/presign'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiKey, exchange, rawText, signedText } from './support/exchange.ts'
import {
  differences,
  findingsWith,
  type InspectorPage,
  openInspector,
  openStage,
  paste,
  type Stage,
} from './support/inspector-page.ts'

let stage: Stage
let emulator: Awaited<ReturnType<ReturnType<typeof createEmulator>['listen']>>
let inspector: InspectorPage
let origin: string

beforeAll(async () => {
  ;[stage, emulator] = await Promise.all([openStage(), createEmulator().listen()])
  origin = emulator.url.origin
  inspector = await openInspector(stage)
})
afterAll(() => Promise.all([stage.close(), emulator.close()]))
beforeEach(() => inspector.page.getByRole('button', { name: 'Clear everything' }).click())

/** Gives the page a request and its response, as a person pastes them, and the key. */
async function give(request: string, response: string, withKey = true): Promise<void> {
  const { page } = inspector
  if (withKey) {
    await page.getByLabel('Access key ID').fill(apiKey.accessKeyId)
    await page.getByLabel('Secret access key', { exact: true }).fill(apiKey.secretAccessKey)
  }
  await page.getByLabel('Paste the error').fill(response)
  await paste(page, 'Paste it here', request)
}

async function verdict(): Promise<string | null> {
  return inspector.page.locator('[data-verdict]').getAttribute('data-verdict')
}

describe('a refusal recorded from the emulator', () => {
  test('of a path that a proxy decoded is compared with the very characters marked', async () => {
    const sent = await signedText(origin, '/V1/a%2Bb.csv')
    await give(sent, await exchange(origin, sent.replace('a%2Bb', 'a%20b')))
    expect(await findingsWith(inspector.page, 'The server read another request')).toEqual([
      'The server read another request',
      'The signature is right',
    ])
    expect(await verdict()).toBe('canonical-request')
    expect((await differences(inspector.page))[0]).toEqual([
      '/V1/a%2Bb.csv',
      '/V1/a%20b.csv',
      '%2B',
      '%20',
    ])
  })

  test('of a header that must be signed names it', async () => {
    const sent = await signedText(origin, '/V1/a')
    await give(sent, await exchange(origin, sent.replace('\r\n', '\r\nx-amz-meta-a: b\r\n')))
    await findingsWith(inspector.page, 'The server read another request')
    const text = await inspector.page.locator('tr.differs').first().textContent()
    expect(text).toContain('x-amz-meta-a')
  })

  test('of another service names the service', async () => {
    const sent = await signedText(
      origin,
      '/V1/a',
      { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
      { service: 'execute-api' },
    )
    await give(sent, await exchange(origin, sent))
    await findingsWith(inspector.page, 'Date, region or service differ')
    expect(await verdict()).toBe('string-to-sign')
    expect(await inspector.page.locator('tr.differs ins').first().textContent()).toContain('s3')
  })

  test('of another secret says that the key is the cause, once the secret is given that signed', async () => {
    const credentials = { ...apiKey, secretAccessKey: 'another-secret' }
    const sent = await signedText(origin, '/V1/a', {}, { credentials })
    await give(sent, await exchange(origin, sent))
    expect(
      await findingsWith(inspector.page, 'Another secret, or another form of the request'),
    ).toHaveLength(1)
    expect(await verdict()).toBe('unknown')
    await inspector.page
      .getByLabel('Secret access key', { exact: true })
      .fill(credentials.secretAccessKey)
    expect(await findingsWith(inspector.page, 'The key is the cause')).toContain(
      'This key made the signature',
    )
    expect(await verdict()).toBe('secret-or-key')
  })

  test('of a key that nobody knows names the key', async () => {
    const credentials = { accessKeyId: 'AKIDUNKNOWN', secretAccessKey: 'some-secret' }
    const sent = await signedText(origin, '/V1/a', {}, { credentials })
    await give(sent, await exchange(origin, sent), false)
    expect(await findingsWith(inspector.page, 'The key is the cause')).toContain(
      'The signature is not checked',
    )
    const meaning = await inspector.page.locator('[data-verdict]').textContent()
    expect(meaning).toContain('AKIDUNKNOWN')
  })

  test('of an old signature says by how much', async () => {
    const sent = await signedText(origin, '/V1/a', {}, { clock: () => Date.now() - 3_600_000 })
    await give(sent, await exchange(origin, sent))
    await findingsWith(inspector.page, 'The time is the cause')
    expect(await verdict()).toBe('clock')
    expect(await inspector.page.locator('[data-verdict]').textContent()).toMatch(/1 h|59 min/)
  })

  test('of another region names the region', async () => {
    const sent = await signedText(origin, '/V1/a', {}, { region: 'eu-west-1' })
    await give(sent, await exchange(origin, sent))
    await findingsWith(inspector.page, 'The region is the cause')
    expect(await verdict()).toBe('region')
  })

  test('of a body that was changed shows both hashes', async () => {
    const sent = await signedText(origin, '/V1/a', { method: 'PUT', body: 'one' })
    await give(sent, await exchange(origin, sent.replace(/one$/, 'two')))
    await findingsWith(inspector.page, 'The body is the cause')
    expect(await verdict()).toBe('payload')
    expect(await inspector.page.locator('tr.differs').first().textContent()).toContain(
      'SHA-256 of the body',
    )
  })

  test('without anything to compare is told to be so', async () => {
    const sent = await signedText(origin, '/V1/a')
    const broken = sent.replace(/, Signature=\w+/, '')
    await give(broken, await exchange(origin, broken))
    expect(await findingsWith(inspector.page, 'The server gives a reason of its own')).toContain(
      'The signature is malformed',
    )
    expect(await verdict()).toBe('unknown')
  })

  test('of a presigned URL that has expired is taken apart', async () => {
    const clock = (): number => Date.now() - 3_600_000
    const auth = createSigV4Auth({
      baseUrl: origin,
      region: 'us-east-1',
      credentials: apiKey,
      clock,
    })
    const url = await presign(auth, new URL('/V1/a', origin), { expiresInSeconds: 60 })
    const sent = rawText('GET', url.pathname + url.search, [['host', url.host]], '')
    await give(url.href, await exchange(origin, sent))
    expect(await findingsWith(inspector.page, 'The URL has expired')).toEqual([
      'The time is the cause',
      'The URL has expired',
      'The signature is right',
    ])
    const parameters = inspector.page.getByRole('region', {
      name: 'The presigned URL, taken apart',
    })
    expect(await parameters.locator('tbody tr').count()).toBe(6)
    // Whoever has the signature has the URL.
    expect(await inspector.page.locator('#result').textContent()).not.toContain(
      url.searchParams.get('X-Amz-Signature'),
    )
  })

  test('of a HAR that holds it is found without another paste', async () => {
    const sent = await signedText(origin, '/V1/a%2Bb', {})
    const [, ...lines] = sent.split('\r\n\r\n')[0]?.split('\r\n') ?? []
    const [head = '', body = ''] = (
      await exchange(origin, sent.replace('a%2Bb', 'a b'.replace(' ', '%20')))
    ).split('\r\n\r\n')
    const named = (line: string): object => {
      const [name = '', value = ''] = line.split(': ', 2)
      return { name, value }
    }
    const entry = {
      request: { method: 'GET', url: `${origin}/V1/a%2Bb`, headers: lines.map(named) },
      response: {
        status: 403,
        headers: head.split('\r\n').slice(1).map(named),
        content: { text: body },
      },
    }
    const other = {
      request: { method: 'GET', url: `${origin}/fine`, headers: [] },
      response: { status: 200 },
    }
    await paste(
      inspector.page,
      'Paste it here',
      JSON.stringify({ log: { entries: [other, entry] } }),
    )
    await inspector.page.getByRole('button', { name: /403 GET .*signed/ }).click()
    await findingsWith(inspector.page, 'The server read another request')
    expect(await verdict()).toBe('canonical-request')
    await inspector.page.getByRole('button', { name: 'All requests of the HAR' }).click()
    await inspector.page.getByLabel('Filter by method, URL or status').fill('fine')
    await inspector.page.getByText('1 of 2 requests').waitFor()
  })
})

test('nothing of all this made the page complain', () => {
  expect(inspector.complaints).toEqual([])
})

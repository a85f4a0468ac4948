import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { atNight } from '../../../tests/support/nightly.ts'
import {
  findingsWith,
  type InspectorPage,
  openInspector,
  openStage,
  paste,
  type Stage,
} from './support/inspector-page.ts'

let stage: Stage
let inspector: InspectorPage

beforeAll(async () => {
  stage = await openStage()
  inspector = await openInspector(stage)
})
afterAll(() => stage.close())
beforeEach(() => inspector.page.getByRole('button', { name: 'Clear everything' }).click())

/** Runs something, and returns the longest time for which the page was frozen meanwhile. */
async function longestPause(act: () => Promise<void>): Promise<number> {
  const { page } = inspector
  await page.evaluate(() => {
    const pauses: number[] = []
    const observer = new PerformanceObserver((list) => {
      pauses.push(...list.getEntries().map(({ duration }) => duration))
    })
    observer.observe({ type: 'longtask' })
    Object.assign(window, { pauses, observer })
  })
  await act()
  return page.evaluate(() => {
    const observer = Reflect.get(window, 'observer') as PerformanceObserver
    const pauses = Reflect.get(window, 'pauses') as number[]
    pauses.push(...observer.takeRecords().map(({ duration }) => duration))
    observer.disconnect()
    return Math.max(0, ...pauses)
  })
}

/** Makes a long text in the page, since megabytes take their time through the tools of the test. */
async function make(parts: string): Promise<void> {
  await inspector.page.evaluate((code) => {
    const data = new DataTransfer()
    const [piece = '', count = '', head = '', tail = ''] = code.split('\u0000')
    data.setData('text/plain', head + piece.repeat(Number(count)) + tail)
    Object.assign(window, { pasted: data })
  }, parts)
}

/** Pastes the text that was made, as the clipboard brings it. */
async function pasteMade(): Promise<void> {
  await inspector.page.evaluate(() => {
    const event = new ClipboardEvent('paste', {
      clipboardData: Reflect.get(window, 'pasted') as DataTransfer,
      bubbles: true,
      cancelable: true,
    })
    document.getElementById('source')?.dispatchEvent(event)
  })
}

function made(piece: string, count: number, head = '', tail = ''): string {
  return [piece, count, head, tail].join('\u0000')
}

/**
 * The most that a page may be frozen, in milliseconds. Read on the page's own thread these texts take seconds; a
 * machine that runs other tests on all its processors makes 0.25 s of the 0.06 s that pasting them takes.
 */
const allowedMs = 500

/** Returns the least of the longest pauses of some attempts: the machine may have been at something else. */
async function leastPause(act: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 6 && least >= allowedMs; attempt += 1) {
    await inspector.page.getByRole('button', { name: 'Clear everything' }).click()
    least = Math.min(least, await longestPause(act))
  }
  return least
}

describe('nothing freezes', () => {
  const entry =
    '{"request":{"method":"GET","url":"https://a.example/b?c=d","headers":[{"name":"x","value":"y"}]},"response":{"status":200,"content":{"text":"' +
    'z'.repeat(4000) +
    '"}}},'

  const texts: readonly [name: string, text: string, shown: string][] = [
    [
      'a HAR of 21 MB with 5000 entries',
      made(entry, 5000, '{"log":{"entries":[', `${entry.slice(0, -1)}]}}`),
      '5001 of 5001 requests',
    ],
    [
      'a body of 8 MB',
      made('0123456789abcdef', 500_000, 'PUT / HTTP/1.1\nHost: a.example\n\n'),
      'The request is not signed',
    ],
    ['a URL of 2 MB', made('a=%20&', 330_000, 'https://a.example/?'), 'This cannot be read'],
    [
      'a header of 2 MB',
      made('x  ', 700_000, 'GET / HTTP/1.1\nHost: a.example\nX-Amz-Meta-A: '),
      'The request is not signed',
    ],
    [
      'a curl command of 3 MB',
      made("-d 'a=b' ", 330_000, 'curl https://a.example/ '),
      'This cannot be read',
    ],
    ['5 MB in one line', made('a', 5_000_000), 'This cannot be read'],
    ['brackets a million deep', made('[', 1_000_000), 'This cannot be read'],
  ]
  test.each(atNight(texts, texts.slice(0, 3)))('while %s is pasted', async (_name, text, shown) => {
    const { page } = inspector
    await make(text)
    const pause = await leastPause(async () => {
      await pasteMade()
      await page.getByText(/^Pasted text, [\d.]+ [kM]B$/).waitFor()
      await page.locator('#result').getByText(shown).first().waitFor()
    })
    expect(pause).toBeLessThan(allowedMs)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Paste it here').waitFor()
  })

  test('while a long text comes from the clipboard, which is kept beside the field', async () => {
    const { page } = inspector
    const text = `PUT / HTTP/1.1\nHost: a.example\n\n${'line\n'.repeat(20_000)}`
    await paste(page, 'Paste it here', text)
    await page.getByText('Pasted text, 97.7 kB').waitFor()
    await findingsWith(page, 'The request is not signed')
    expect(await page.locator('#source').count()).toBe(0)
  })

  test('while a text of many lines comes, which is kept beside the field', async () => {
    const { page } = inspector
    await make(made('a: b\n', 400, 'GET / HTTP/1.1\nHost: a.example\n', `\n${'c\n'.repeat(1500)}`))
    const pause = await leastPause(async () => {
      await pasteMade()
      await page.getByText(/^Pasted text, [\d.]+ kB$/).waitFor()
      await findingsWith(page, 'The request is not signed')
    })
    expect(pause).toBeLessThan(allowedMs)
  })

  test('while a file of binary is opened', async () => {
    const { page } = inspector
    const path = join(await mkdtemp(join(tmpdir(), 'inspector-')), 'a.bin')
    onTestFinished(() => rm(dirname(path), { recursive: true }))
    await writeFile(path, Buffer.alloc(3_000_000, Uint8Array.from([0, 255, 71, 10, 0xe2, 0x80])))
    const pause = await leastPause(async () => {
      await page.getByLabel('Open a file…').setInputFiles(path)
      await page.getByText('a.bin, 2.9 MB').waitFor()
      await findingsWith(page, 'This cannot be read')
    })
    expect(pause).toBeLessThan(allowedMs)
  })

  test('while both sides of a refusal are long', async () => {
    const { page } = inspector
    const path = `/${'a%2Fb'.repeat(3000)}`
    const authorization = `AWS4-HMAC-SHA256 Credential=K/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`
    const request = `GET ${path} HTTP/1.1\nHost: a.example\nx-amz-date: 20130524T000000Z\nAuthorization: ${authorization}\n`
    const canonical = `GET\n${path.replaceAll('%2F', '%2f')}\n\nhost:a.example\nx-amz-date:20130524T000000Z\n\nhost;x-amz-date\n`
    const pause = await leastPause(async () => {
      const response = page.getByLabel('Paste the error')
      await response.fill(
        `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>${canonical}</CanonicalRequest></Error>`,
      )
      await paste(page, 'Paste it here', request)
      await findingsWith(page, 'The server read another request')
    })
    expect(pause).toBeLessThan(allowedMs)
    await page.getByText('more characters are not shown').first().waitFor()
  })
})

/** A request with as many signed headers, each with the same value. */
function withHeaders(count: number, value: string): string {
  const names = Array.from({ length: count }, (_, index) => `x-h${String(index).padStart(3, '0')}`)
  const authorization = `AWS4-HMAC-SHA256 Credential=K/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date;${names.join(';')}, Signature=${'0'.repeat(64)}`
  const lines = names.map((name) => `${name}: ${value}`)
  return `GET / HTTP/1.1\nHost: a.example\nx-amz-date: 20130524T000000Z\nAuthorization: ${authorization}\n${lines.join('\n')}\n\n`
}

describe('a result of whatever characters', () => {
  const kinds: readonly [name: string, text: string][] = [
    ['that nobody sees', withHeaders(300, '\u200b'.repeat(4000))],
    ['that are hidden one by one', withHeaders(290, 'a\u200bb\u202e'.repeat(300))],
    ['that are piled up', withHeaders(290, `a${'\u0300'.repeat(400)}`)],
  ]
  test.each(atNight(kinds, kinds.slice(1, 2)))('%s freezes nothing', async (_name, text) => {
    const { page } = inspector
    await make(made(text, 1))
    const pause = await leastPause(async () => {
      await pasteMade()
      await findingsWith(page, 'The signature is not checked')
    })
    expect(pause).toBeLessThan(allowedMs)
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    expect(nodes).toBeLessThan(10_000)
    await page.getByRole('button', { name: /^Show 60 of \d+ more lines$/ }).click()
  })

  test('that differ in every line freezes nothing', async () => {
    const { page } = inspector
    const values = withHeaders(290, 'abcd'.repeat(70)).match(/^[\w-]+: .*$/gm) ?? []
    const pairs = values.map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
    const others = pairs.map(
      ([name, value]) => `${name.toLowerCase()}:${value.replaceAll('ab', 'dc')}`,
    )
    const canonical = `GET\n/\n\n${others.join('\n')}\n\nhost\nUNSIGNED-PAYLOAD`
    const headers = pairs.map(([name, value]) => ({ name, value }))
    const error = `<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>${canonical}</CanonicalRequest></Error>`
    const har = {
      request: { method: 'GET', url: 'https://a.example/', headers },
      response: { status: 403, content: { text: error } },
    }
    await make(made(JSON.stringify(har), 1))
    const pause = await leastPause(async () => {
      await pasteMade()
      await findingsWith(page, 'The server read another request')
    })
    expect(pause).toBeLessThan(allowedMs)
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    expect(nodes).toBeLessThan(10_000)
  })
})

describe('what is too long for a field', () => {
  test.each(atNight(['Headers', 'Body'], ['Body']))('of %s is kept beside it', async (label) => {
    const { page } = inspector
    await page.getByLabel('Read it as').selectOption('fields')
    await page.getByLabel('URL', { exact: true }).fill('https://a.example/b')
    await paste(page, label, `x-a: ${'y'.repeat(70_000)}`)
    await page.getByText('Pasted text, 68.4 kB').waitFor()
    await findingsWith(page, 'The request is not signed')
    await page.locator('button:focus', { hasText: 'Remove' }).waitFor()
    expect(await page.locator(`#field-${label.toLowerCase()}`).count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.getByLabel(label, { exact: true }).waitFor()
    await page.locator(`#field-${label.toLowerCase()}:focus`).waitFor()
  })

  test('is forgotten where it is read when everything is cleared', async () => {
    const { page } = inspector
    await page.evaluate(async () => {
      const file = new File(['<Error/>'], 'a.xml')
      const data = new DataTransfer()
      data.items.add(file)
      const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      document.getElementById('response')?.dispatchEvent(drop)
      document.querySelector<HTMLButtonElement>('.clear')?.click()
      await file.arrayBuffer()
      await new Promise((resolve) => requestAnimationFrame(resolve))
    })
    expect(await page.getByLabel('Paste the error').inputValue()).toBe('')
  })

  test('of the response is read whole', async () => {
    const { page } = inspector
    await paste(page, 'Paste it here', withHeaders(1, 'a'))
    await paste(
      page,
      'Paste the error',
      `<Error><Code>SignatureDoesNotMatch</Code><Padding>${'x'.repeat(70_000)}</Padding><CanonicalRequest>GET\n/z\n\nhost:a.example\n\nhost\nUNSIGNED-PAYLOAD</CanonicalRequest></Error>`,
    )
    await page.getByText('Pasted text, 68.5 kB').waitFor()
    expect(await findingsWith(page, 'The server read another request')).not.toContain(
      'The response does not say why',
    )
    await page.locator('tr.differs', { hasText: '/z' }).waitFor()
  })
})

describe('nothing runs', () => {
  const attack = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{3}}${4}'

  test('of what stands in any field', async () => {
    const { page, complaints } = inspector
    for (const label of ['Access key ID', 'Secret access key', 'Session token']) {
      await page.getByLabel(label, { exact: true }).fill(attack)
    }
    const authorization = `AWS4-HMAC-SHA256 Credential=${attack}/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;${attack}, Signature=${attack}`
    const request = `GET /${encodeURI(attack)}?a=<b>${attack.replaceAll(' ', '')} HTTP/1.1\nHost: a.example\nX-Amz-Meta-A: ${attack}\nAuthorization: ${authorization}\n\n${attack}`
    const escaped = attack.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    await page
      .getByLabel('Paste the error')
      .fill(
        `HTTP/1.1 403 ${attack}\nx-amz-request-id: ${attack}\n\n<Error><Code>SignatureDoesNotMatch</Code><Message>${escaped}</Message><CanonicalRequest>GET\n/${escaped}\n\nhost:${escaped}\n\nhost\n${escaped}</CanonicalRequest></Error>`,
      )
    await paste(page, 'Paste it here', request)
    await findingsWith(page, 'The server read another request')
    await page.getByLabel('Region').fill('<b>')
    await page.getByRole('button', { name: 'Copy a link…' }).click()
    await page.getByLabel('Read it as').selectOption('fields')
    await page.getByLabel('URL', { exact: true }).fill(`https://a.example/${attack}`)
    await page.getByLabel('Headers', { exact: true }).fill(attack)
    await findingsWith(page, 'This cannot be read')
    expect(await page.locator('#app img, #app script, #app b').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('of a HAR and of a token', async () => {
    const { page, complaints } = inspector
    const entry = { request: { method: attack, url: `https://a.example/${attack}` } }
    await paste(page, 'Paste it here', JSON.stringify([entry, entry]))
    await page.getByText('2 of 2 requests').waitFor()
    await page.locator('.har button').first().click()
    await findingsWith(page, 'This cannot be read')
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    await paste(
      page,
      'Paste it here',
      `Bearer ${part({ alg: attack })}.${part({ [attack]: attack, __proto__: { exp: 1 } })}.c`,
    )
    await findingsWith(page, 'The token does not tell its end')
    expect(await page.locator('#app img, #app script').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a text that tricks the eye', () => {
  test('has its characters named, and stays from left to right', async () => {
    const { page } = inspector
    await paste(
      page,
      'Paste it here',
      'GET /a HTTP/1.1\nHost: a.example\nx-amz-meta-a: \u202egpj.exe\u200b\u00a0 \u05d0\u05d1\n',
    )
    await findingsWith(page, 'The request is not signed')
    const row = page.locator('tr', { hasText: 'x-amz-meta-a:' })
    expect(await row.locator('.symbol').allTextContents()).toEqual([
      'U+202E right-to-left override',
      'U+200B zero-width space',
      'U+00A0 no-break space',
    ])
    expect(
      await row
        .locator('bdi')
        .first()
        .evaluate((one) => getComputedStyle(one).direction),
    ).toBe('ltr')
  })
})

test('a hint that quotes the server, and a name of a file, show what they hold', async () => {
  const { page } = inspector
  await page
    .getByLabel('Paste the error')
    .fill(
      '<Error><Code>AuthorizationHeaderMalformed</Code><Region>\u202e1-tsae-su</Region></Error>',
    )
  const buffer = Buffer.from(withHeaders(1, 'a'))
  const file = { name: 'a\u202egpj.http', mimeType: 'text/plain', buffer }
  await page.getByLabel('Open a file…').setInputFiles(file)
  await findingsWith(page, 'The region is the cause')
  const symbol = 'U+202E right-to-left override'
  await page.locator('tr.differs .hint .symbol', { hasText: symbol }).first().waitFor()
  await page.locator('.large .symbol', { hasText: symbol }).waitFor()
  expect(await page.locator('#app').textContent()).not.toContain('\u202e')
})

test.each([
  ['GET / HTTP/1.1\nHost: a.example\nBroken header', 'Line 3 (header)'],
  ['curl --new-option a', 'Line 1, column 6 (option)'],
  ["curl 'https://a.example/", 'Line 1, column 6 (quotation)'],
  ['{"log":{"entries":[\n{,}]}}', 'Line 2, column 2 (HAR)'],
  ['eyJ.a.b', 'Line 1 (token, payload)'],
  ['GET / HTTP/1.1\nHost: a.example\nX: a\u0001b', 'Line 3, column 5 (header X)'],
])('%j is refused with the line, in the field and to a screen reader', async (text, place) => {
  const { page } = inspector
  await paste(page, 'Paste it here', text)
  await page.locator('#source-error', { hasText: place }).waitFor()
  expect(await page.getByLabel('Paste it here').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('Paste it here').getAttribute('aria-describedby')).toContain(
    'source-error',
  )
  await page.locator('[aria-live=polite]', { hasText: place }).waitFor({ state: 'attached' })
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../../../tests/support/nightly.ts'
import { openRawTab } from './support/raw-tab.ts'
import {
  findingsWith,
  openInspector,
  openStage,
  paste,
  type Stage,
} from './support/inspector-page.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** Values that must stand nowhere but in the fields; each is found in any encoding of the fragment. */
const secrets = {
  user: 'userinfo-secret-1',
  parameter: 'parameter-secret-2',
  token: 'session-token-secret-3',
  access: 'access-token-secret-4',
  cookie: 'cookie-secret-5-of-a-session',
  body: 'body-secret-6',
  customerKey: 'customer-key-secret-7',
  own: 'header-secret-8',
  segment: 'eyJhbGciOiJIUzI1NiJ9',
  key: 'secret-access-key-secret-9',
  short: 'q7Z',
}
const signature = 'ab'.repeat(32)
const scope = 'AKIDEXAMPLE/20130524/us-east-1/s3/aws4_request'

const request = `PUT https://me:${secrets.user}@a.example/V1/${secrets.segment}/file.csv?X-Amz-Security-Token=${secrets.parameter}&access_token=${secrets.access}&list-type=2&pin=${secrets.short} HTTP/1.1
Host: a.example
Cookie: sid=${secrets.cookie}
X-Amz-Security-Token: ${secrets.token}
x-amz-server-side-encryption-customer-key: ${secrets.customerKey}
X-Own: ${secrets.own}
x-amz-date: 20130524T000000Z
Authorization: AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=cookie;host;x-amz-date;x-amz-security-token;x-amz-server-side-encryption-customer-key;x-own, Signature=${signature}

${secrets.body}`

const refusal = `<Error><Code>SignatureDoesNotMatch</Code><Message>no ${secrets.token}</Message><SignatureProvided>${signature}</SignatureProvided><CanonicalRequest>PUT
/V1/${secrets.segment}/other.csv
access_token=${secrets.access}
cookie:sid=${secrets.cookie}
host:a.example
x-amz-date:20130524T000000Z

host
${'cd'.repeat(32)}</CanonicalRequest></Error>`

/** Lists everything that a page can keep. */
const storages = async (): Promise<object> => ({
  local: Object.entries(localStorage),
  session: Object.entries(sessionStorage),
  cookies: document.cookie,
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  state: history.state as unknown,
  files: (await navigator.storage.estimate()).usage,
})

test('nothing is sent, and nothing is kept, whatever is done', async () => {
  const { page, context, complaints } = await openInspector(stage)
  const before = await page.evaluate(storages)
  const sent: string[] = []
  context.on('request', (one) => sent.push(one.url()))
  await page.getByLabel('Secret access key', { exact: true }).fill(secrets.key)
  await page.getByLabel('Paste the error').fill(refusal)
  await paste(page, 'Paste it here', request)
  await findingsWith(page, 'The server read another request')
  await page.getByRole('button', { name: 'Copy a link…' }).click()
  await page.getByRole('button', { name: 'Copy the link' }).click()
  await page.getByText('The link is copied.').waitFor()
  for (const name of ['a presigned URL', 'a token', 'a curl command']) {
    await page.getByRole('button', { name }).click()
  }
  await findingsWith(page, 'The request is not signed')
  await page.getByRole('button', { name: 'Clear everything' }).click()
  // A Blob of the page itself is no request to anyone.
  expect(sent.filter((url) => !url.startsWith('blob:'))).toEqual([])
  expect(await page.evaluate(storages)).toEqual(before)
  expect(complaints).toEqual([])
  await context.close()
})

test('the policy of the page lets nobody send or run anything, in the worker either', async () => {
  const { page, context } = await openInspector(stage)
  const refused = await page.evaluate(async (url) => {
    const attempts: Record<string, () => Promise<unknown>> = {
      fetch: () => fetch(url),
      image: () =>
        new Promise((resolve, reject) => {
          const image = new Image()
          image.addEventListener('load', resolve)
          image.addEventListener('error', reject)
          image.src = `${url}a.png`
        }),
      beacon: async () => {
        if (!navigator.sendBeacon(url, 'a')) throw new Error('refused')
        const violation = new Promise((_resolve, reject) => {
          document.addEventListener('securitypolicyviolation', reject, { once: true })
        })
        return Promise.race([violation, new Promise((resolve) => setTimeout(resolve, 2000))])
      },
      socket: () =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url.replace('http', 'ws'))
          socket.addEventListener('open', resolve)
          socket.addEventListener('error', reject)
        }),
      html: async () => {
        document.body.insertAdjacentHTML('beforeend', '<b>a</b>')
      },
      // oxlint-disable-next-line typescript/no-implied-eval -- the policy must forbid it
      code: async () => new Function('return 1')() as unknown,
      policy: async () => Reflect.get(window, 'trustedTypes').createPolicy('another', {}),
      worker: async () => new Worker(URL.createObjectURL(new Blob(['1']))),
    }
    const names: string[] = []
    for (const [name, attempt] of Object.entries(attempts)) {
      const isRefused = await attempt().then(
        () => false,
        () => true,
      )
      if (isRefused) names.push(name)
    }
    return names
  }, stage.url)
  expect(refused).toEqual([
    'fetch',
    'image',
    'beacon',
    'socket',
    'html',
    'code',
    'policy',
    'worker',
  ])
  await context.close()
})

test('a worker of the page has its policy, so that what runs there connects to nothing', async () => {
  const { page, context } = await openInspector(stage)
  await page.getByRole('button', { name: 'a refused request' }).click()
  await findingsWith(page, 'The signature is right')
  const [worker] = page.workers()
  expect(worker?.url()).toMatch(/^blob:/)
  const before = stage.requests.length
  const results = await worker?.evaluate(async (url) => {
    const tried = async (attempt: () => Promise<unknown>): Promise<string> =>
      attempt().then(
        () => 'connected',
        () => 'refused',
      )
    return Promise.all([
      tried(() => fetch(url)),
      tried(
        () =>
          new Promise((resolve, reject) => {
            const socket = new WebSocket(url.replace('http', 'ws'))
            socket.addEventListener('open', resolve)
            socket.addEventListener('error', reject)
          }),
      ),
      tried(async () => Reflect.get(globalThis, 'importScripts').call(globalThis, url)),
    ])
  }, stage.url)
  expect(results).toEqual(['refused', 'refused', 'refused'])
  expect(stage.requests.length).toBe(before)
  await context.close()
})

test('the built page names no other host but in links, and inlines no script', async () => {
  const html = await readFile(join(import.meta.dirname, '../dist/index.html'), 'utf8')
  expect(html).toContain("default-src 'none'")
  expect(html).toContain("require-trusted-types-for 'script'")
  expect(html).not.toMatch(/unsafe-|<script(?![^>]* src=)|\son\w+=/)
  expect(html.match(/(?:src|href)="(?!\.\/assets\/|data:)[^"]*"/g)).toBeNull()
})

test('no result shows a secret of the request, and secret fields are masked', async () => {
  const { page, context } = await openInspector(stage)
  await page.getByLabel('Secret access key', { exact: true }).fill(secrets.key)
  await page.getByLabel('Paste the error').fill(refusal)
  await paste(page, 'Paste it here', request)
  await findingsWith(page, 'The server read another request')
  const result = (await page.locator('#result').textContent()) ?? ''
  const { segment: _path, short: _short, own: _own, ...hidden } = secrets
  for (const secret of [...Object.values(hidden), signature]) expect(result).not.toContain(secret)
  // A person at a screen share sees the request covered as soon as the cursor is elsewhere.
  const source = page.getByLabel('Paste it here')
  expect(await source.getAttribute('class')).toBeNull()
  await page.getByLabel('Region').click()
  expect(await source.getAttribute('class')).toBe('covered')
  await page.getByRole('button', { name: 'Keep uncovered' }).first().click()
  expect(await source.getAttribute('class')).toBeNull()
  const field = page.getByLabel('Secret access key', { exact: true })
  expect(await field.getAttribute('type')).toBe('password')
  await page.getByRole('button', { name: 'Reveal the secret access key' }).click()
  expect(await field.getAttribute('type')).toBe('text')
  for (const one of await page.locator('input:not([type=file]), textarea').all()) {
    expect(await one.getAttribute('autocomplete')).toMatch(/off|new-password/)
    expect(await one.getAttribute('spellcheck')).toBe('false')
  }
  await context.close()
})

test('a text that cannot be read, and a response, are covered where they may hold a secret', async () => {
  const { page, context } = await openInspector(stage)
  const source = page.getByLabel('Paste it here')
  await paste(page, 'Paste it here', 'GET / HTTP/1.1\nHost: a\nAuthorization: Bearer abc\nbroken')
  await findingsWith(page, 'This cannot be read')
  await page.getByLabel('Region').click()
  expect(await source.getAttribute('class')).toBe('covered')
  await paste(page, 'Paste it here', 'GET / HTTP/1.1\nHost: a\nbroken')
  await page.locator('#source-error', { hasText: 'Line 3' }).waitFor()
  await page.getByLabel('Region').click()
  expect(await source.getAttribute('class')).toBeNull()
  const response = page.getByLabel('Paste the error')
  await response.fill('<Error><CanonicalRequest>GET\nx-amz-security-token:abc')
  await page.getByLabel('Region').click()
  expect(await response.getAttribute('class')).toBe('covered')
  await context.close()
})

test('clearing covers and masks everything again', async () => {
  const { page, context } = await openInspector(stage)
  const reveal = page.getByRole('button', { name: 'Reveal the secret access key' })
  await reveal.click()
  await paste(page, 'Paste it here', 'GET / HTTP/1.1\nHost: a\nCookie: a=b\n')
  await page.getByRole('button', { name: 'Keep uncovered' }).click()
  await page.getByRole('button', { name: 'Clear everything' }).click()
  const field = page.getByLabel('Secret access key', { exact: true })
  expect(await field.getAttribute('type')).toBe('password')
  await paste(page, 'Paste it here', 'GET / HTTP/1.1\nHost: a\nCookie: a=b\n')
  await findingsWith(page, 'The request is not signed')
  await page.getByLabel('Region').click()
  expect(await page.getByLabel('Paste it here').getAttribute('class')).toBe('covered')
  await context.close()
})

describe('what stood in the fields is gone', () => {
  test.runIf(isNightly)('when the page is left and loaded anew', async () => {
    const { page, context } = await openInspector(stage)
    await page.getByLabel('Secret access key', { exact: true }).fill(secrets.key)
    await paste(page, 'Paste it here', request)
    await findingsWith(page, 'The signature is wrong')
    await page.goto(`${stage.url}elsewhere`)
    await page.goBack()
    await page.locator('h1').waitFor()
    expect(await page.evaluate(valuesOf)).toBe('')
    await context.close()
  })

  test('when the browser kept the whole page, and comes back to it', async () => {
    const tab = await openRawTab(stage.url)
    await tab.until(() => document.querySelector('h1') !== null)
    await tab.evaluate(() => Object.assign(window, { isSame: true }) === window)
    for (const [id, text] of [
      ['key-secretAccessKey', secrets.key],
      ['source', request],
    ] as const) {
      await tab.focus(id)
      await tab.insertText(text)
    }
    await tab.until(() => document.querySelector('.finding.wrong') !== null)
    await tab.navigate(`${stage.url}elsewhere`)
    await tab.until(() => document.body.textContent === 'nothing here')
    await tab.back()
    await tab.until(() => document.querySelector('h1') !== null)
    // It is the very page, and not one that was loaded anew.
    expect(await tab.evaluate(() => 'isSame' in window)).toBe(true)
    expect(await tab.evaluate(valuesOf)).toBe('')
    const html = String(await tab.evaluate(() => document.documentElement.outerHTML))
    for (const secret of Object.values(secrets)) expect(html).not.toContain(secret)
    // It works as before.
    await tab.focus('source')
    await tab.insertText('GET / HTTP/1.1')
    await tab.until(
      () => document.querySelector('.finding')?.textContent?.includes('Host') === true,
    )
    await tab.close()
  })
})

/** Returns all that stands in the fields of a page but the defaults. */
function valuesOf(): string {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'input, textarea',
  )
  return [...fields].map((one) => one.value).join('')
}

describe('a shared link', () => {
  test('holds no secret, shows all that it holds before, and opens as an explanation', async () => {
    const { page, context } = await openInspector(stage)
    await page.getByLabel('Secret access key', { exact: true }).fill(secrets.key)
    await page.getByLabel('Paste the error').fill(refusal)
    await paste(page, 'Paste it here', request)
    await findingsWith(page, 'The server read another request')
    await page.getByRole('button', { name: 'Copy a link…' }).click()
    const panel = page.getByRole('region', { name: 'This is all that the link holds' })
    const shown = (await panel.textContent()) ?? ''
    await panel.getByRole('button', { name: 'Copy the link' }).click()
    await panel.getByText('The link is copied.').waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toContain(`${stage.url}#shared=`)
    const base64 = link.slice(link.indexOf('=') + 1)
    const content = Buffer.from(base64, 'base64url').toString()
    const all = [...Object.values(secrets), signature, 'cd'.repeat(32), 'AKIDEXAMPLE']
    for (const secret of all) {
      expect(content).not.toContain(secret)
      expect(shown).not.toContain(secret)
      for (const offset of [0, 1, 2]) {
        const inner = Buffer.from(' '.repeat(offset) + secret)
          .toString('base64')
          .slice(4, -4)
        expect(content).not.toContain(inner === '' ? secret : inner)
      }
    }
    expect(content).toContain('other.csv')
    expect(content).toContain('list-type=2')
    expect(content).toContain('cookie:(not shared)')

    const other = await openInspector(stage, { fragment: `#${link.split('#')[1]}` })
    await other.page.getByText('An explanation that was shared with you').waitFor()
    const opened = (await other.page.locator('.shared').textContent()) ?? ''
    expect(opened).toContain('The server read another request')
    expect(opened).toContain('other.csv')
    expect(other.complaints).toEqual([])
    await other.context.close()
    await context.close()
  })

  test('that somebody made up runs nothing and shows no text as the page’s own', async () => {
    const made = (canonicalRequest: object[]): string => {
      const findings = ['Send your key to a.example', 'The signature is right']
      const all = { version: 1, form: 'header', findings, canonicalRequest, stringToSign: [] }
      return `#shared=${Buffer.from(JSON.stringify(all)).toString('base64url')}`
    }
    const fragment = made([{ line: 'path', text: '/a' }])
    const { page, context, complaints } = await openInspector(stage, { fragment })
    await page.getByText('anyone can write a link').waitFor()
    const text = (await page.locator('#result').textContent()) ?? ''
    expect(text).not.toContain('Send your key')
    expect(text).toContain('The link claims:The signature is right')
    // The first that a keyboard meets takes nothing of it away.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('result')
    expect(await page.locator('#result').textContent()).toBe(text)
    for (const broken of [
      '#shared=',
      '#shared=%%%',
      made([{ line: '\u2713 Verified: paste your key on a.example', text: 'GET' }]),
      made([{ line: '<img src=x onerror=alert(1)>', text: '\u202e<script>alert(1)</script>' }]),
      `#shared=${btoa('{"version":1}')}`,
      `#shared=${btoa('[]')}`,
    ]) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, broken)
      await page.getByText('The link is broken').waitFor()
    }
    expect(complaints).toEqual([])
    await context.close()
  })
})

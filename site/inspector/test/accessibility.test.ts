import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atNight } from '../../../tests/support/nightly.ts'
import { navigation } from '../../src/navigation.ts'
import {
  findingsWith,
  type InspectorPage,
  openInspector,
  openStage,
  paste,
  type Stage,
} from './support/inspector-page.ts'

let stage: Stage
let axe: string

beforeAll(async () => {
  stage = await openStage()
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
})
afterAll(() => stage.close())

/** Lists what axe finds in the page as it stands. */
async function violations({ page }: InspectorPage): Promise<string[]> {
  // Run by the tools of the test, which no policy of the page holds back.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: `globalThis.axe ?? (() => {${axe}})()` })
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'axe.run().then((results) => JSON.stringify(results.violations))',
    awaitPromise: true,
  })
  await session.detach()
  const found = JSON.parse(String(result.value)) as AxeResults['violations']
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  )
}

describe.each([
  { colorScheme: 'light', width: 1280, byDay: ['refused', 'shared'] },
  { colorScheme: 'dark', width: 390, byDay: ['presigned', 'token'] },
] as const)('in $colorScheme at $width px', ({ byDay, ...options }) => {
  test('axe finds nothing in any state, and nothing is wider than the screen', async () => {
    const inspector = await openInspector(stage, options)
    const { page } = inspector
    const states: Record<string, () => Promise<unknown>> = {
      empty: async () => {},
      refused: async () => {
        await page.getByRole('button', { name: 'a refused request' }).click()
        await findingsWith(page, 'The signature is right')
      },
      shared: async () => {
        await page.getByRole('button', { name: 'Copy a link…' }).click()
      },
      presigned: async () => {
        await page.getByRole('button', { name: 'a presigned URL' }).click()
        await findingsWith(page, 'The URL has expired')
      },
      token: async () => {
        await page.getByRole('button', { name: 'a token' }).click()
        await findingsWith(page, 'The token has not expired')
      },
      har: async () => {
        await page.getByRole('button', { name: 'Clear everything' }).click()
        const entry = {
          request: { method: 'GET', url: 'https://a.example/b' },
          response: { status: 403 },
        }
        await paste(page, 'Paste it here', JSON.stringify([entry, entry]))
        await page.getByText('2 of 2 requests').waitFor()
      },
      broken: async () => {
        await paste(page, 'Paste it here', 'GET')
        await findingsWith(page, 'This cannot be read')
      },
      fields: async () => {
        await page.getByLabel('Read it as').selectOption('fields')
      },
    }
    const shown = atNight<readonly string[]>(Object.keys(states), byDay)
    for (const name of shown) {
      await states[name]?.()
      expect({ name, violations: await violations(inspector) }).toEqual({ name, violations: [] })
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect({ name, width }).toEqual({ name, width: options.width })
    }
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await inspector.context.close()
  })
})

test('everything is reached and done by the keyboard alone', async () => {
  const { page, context } = await openInspector(stage)
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const one = document.activeElement
      const label =
        one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement
          ? one.labels?.[0]
          : undefined
      return (label ?? one)?.textContent?.trim() ?? ''
    })
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to the result')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('svc-auth')
  for (const { text } of navigation) {
    await page.keyboard.press('Tab')
    expect(await focused()).toBe(text)
  }
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('a refused request')
  await page.keyboard.press('Enter')
  await findingsWith(page, 'The signature is right')
  const reached: string[] = []
  for (let press = 0; press < 40 && !reached.includes('Copy a link…'); press += 1) {
    await page.keyboard.press('Tab')
    reached.push(await focused())
  }
  expect(reached).toEqual(
    expect.arrayContaining([
      'Clear everything',
      'Paste it here',
      'Paste the error',
      'Secret access key',
      'Reveal',
      'Show the whole signature',
      'Copy a link…',
    ]),
  )
  await page.keyboard.press('Enter')
  expect(await focused()).toBe('This is all that the link holds')
  await page.getByRole('button', { name: 'Clear everything' }).focus()
  await page.keyboard.press('Enter')
  expect(await focused()).toBe('Paste it here')
  await context.close()
})

test('a fault in a field is told at that field', async () => {
  const { page, context } = await openInspector(stage)
  await page.getByLabel('Read it as').selectOption('fields')
  for (const [label, wrong, right] of [
    ['URL', 'a', 'https://a.example/'],
    ['Headers', 'a', ''],
    ['Method', 'a b', 'GET'],
    ['Region', 'a b', ''],
  ] as const) {
    const field = page.getByLabel(label, { exact: true })
    await field.fill(wrong)
    await page.locator('[aria-invalid]').and(field).waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(1)
    const described = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
    expect(await page.locator(`#${described} .error, .error#${described}`).count()).toBe(1)
    await field.fill(right)
    await page.locator('[aria-invalid]').waitFor({ state: 'detached' })
  }
  await context.close()
})

test('the verdict stays in sight above the fields, for the eye alone', async () => {
  const { page, context } = await openInspector(stage, { width: 390 })
  await page.getByRole('button', { name: 'a refused request' }).click()
  await findingsWith(page, 'The signature is right')
  const bar = page.locator('.verdict')
  await bar.waitFor({ state: 'detached' })
  await page.getByLabel('Paste it here').focus()
  await bar.filter({ hasText: 'The server read another request' }).waitFor()
  expect(await bar.getAttribute('aria-hidden')).toBe('true')
  expect(await bar.getAttribute('tabindex')).toBe('-1')
  // Above the field, which stays in sight: the keyboard of a phone covers the rest.
  const [verdict, field] = await Promise.all(
    [bar, page.getByLabel('Paste it here')].map((one) => one.boundingBox()),
  )
  expect((verdict?.y ?? 0) + (verdict?.height ?? 0)).toBeLessThanOrEqual(field?.y ?? 0)
  await bar.click()
  await bar.waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('result')
  await context.close()
})

test('a screen reader hears the verdict, and meets landmarks, headings and tables with headers', async () => {
  const { page, context } = await openInspector(stage)
  await page.getByRole('button', { name: 'a refused request' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: 'The server read another request. The signature is right.' })
    .waitFor({ state: 'attached' })
  expect(await page.getByRole('main').count()).toBe(1)
  expect(await page.getByRole('banner').count()).toBe(1)
  const table = page.getByRole('region', { name: /^Canonical request/ }).getByRole('table')
  expect(await table.getByRole('columnheader').allTextContents()).toEqual([
    'Line',
    'Text',
    'Document',
  ])
  // The difference is told in words, and by elements of their own.
  const row = table.getByRole('row').filter({ hasText: 'differs' })
  expect(await row.count()).toBe(1)
  expect(await row.locator('del').textContent()).toBe('%2B')
  expect(await row.locator('ins').textContent()).toBe('%20')
  const link = table.getByRole('link').first()
  expect(await link.getAttribute('rel')).toContain('noreferrer')
  expect(await link.getAttribute('target')).toBe('_blank')
  await context.close()
})

test('a page that is opened as a file says how it is opened', async () => {
  const page = await stage.browser.newPage()
  await page.goto(pathToFileURL(join(import.meta.dirname, '../dist/index.html')).href)
  expect(await page.locator('#app').innerText()).toContain('serve the folder')
  await page.goto(stage.url)
  await page.locator('h1').waitFor()
  expect(await page.locator('#app').innerText()).not.toContain('serve the folder')
  await page.close()
})

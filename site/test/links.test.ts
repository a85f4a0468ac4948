import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isNightly } from '../../tests/support/nightly.ts'
import { outputIn } from '../../tests/support/run-program.ts'
import { hasInspector } from '../src/output/inspector.ts'
import { output, site } from '../src/pages.ts'
import { attributes, builtPages, targetOf } from './support/built-pages.ts'

const pages = builtPages()
const anchors = new Map(pages.map(({ path, html }) => [path, attributes(html, 'id')]))
const isThere = (path: string): boolean =>
  existsSync(join(output, path)) || (path === 'inspector/index.html' && !hasInspector())

test('there are pages', () => {
  expect(pages.length).toBeGreaterThan(60)
})

test('every link of a page leads to a file and to an anchor that is there', () => {
  const broken = pages.flatMap(({ path, html }) =>
    [...attributes(html, 'href'), ...attributes(html, 'src')]
      .filter((link) => {
        const target = targetOf(path, link)
        if (!target) return false
        const ids = anchors.get(target.path)
        if (target.fragment && ids) return !ids.includes(target.fragment)
        return !isThere(target.path)
      })
      .map((link) => `${path}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('no anchor stands twice on a page', () => {
  const twice = pages.flatMap(({ path }) => {
    const ids = anchors.get(path) ?? []
    return ids.filter((id, place) => ids.indexOf(id) !== place).map((id) => `${path}#${id}`)
  })
  expect(twice).toEqual([])
})

test.runIf(isNightly)(
  'a site below a path has all of its links there',
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'site-'))
    const environment = { SITE_BASE: '/svc-auth/', SITE_OUTPUT: folder, NODE_ENV: 'production' }
    await outputIn(site, [process.execPath, join(site, 'build.ts')], environment)
    const broken = builtPages(folder).flatMap(({ path, html }) =>
      [...attributes(html, 'href'), ...attributes(html, 'src')]
        .filter((link) => {
          const target = targetOf(`svc-auth/${path}`, link)
          if (!target || target.path === 'svc-auth/inspector/index.html') return false
          const [base, ...rest] = target.path.split('/')
          return base !== 'svc-auth' || !existsSync(join(folder, ...rest))
        })
        .map((link) => `${path}: ${link}`),
    )
    await rm(folder, { recursive: true })
    expect(broken).toEqual([])
  },
)

describe('the Markdown beside the pages', () => {
  const files = globSync(['**/*.md', 'llms.txt'], { cwd: output })

  test('is there for each page', () => {
    const without = pages
      .filter(({ path }) => path !== '404.html')
      .filter(({ path }) => !existsSync(join(output, path.replace(/html$/, 'md'))))
    expect(without).toEqual([])
  })

  test('links to files that are there', () => {
    const broken = files.flatMap((path) => {
      const text = readFileSync(join(output, path), 'utf8').replace(/^```[^]*?^```/gm, '')
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !isThere(targetOf(path, link)?.path ?? path))
        .map((link) => `${path}: ${link}`)
    })
    expect(broken).toEqual([])
  })

  test('has neither elements of the site nor its front matter', () => {
    const texts = files.map((path) => readFileSync(join(output, path), 'utf8'))
    expect(
      texts.filter((text) => /^(?:---|<div|<main|<Front|<Page|<!-- take)/m.test(text)),
    ).toEqual([])
  })

  test('is listed with every guide in llms.txt', () => {
    const list = readFileSync(join(output, 'llms.txt'), 'utf8')
    expect(list).toMatch(/^# svc-auth\n\n> Login tokens /)
    const guides = files.filter((path) => path.startsWith('guides/'))
    expect(guides.length).toBeGreaterThan(7)
    expect(guides.filter((path) => !list.includes(`(${path})`))).toEqual([])
  })
})

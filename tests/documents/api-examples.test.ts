import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shownModules } from '../support/shown-modules.ts'

// As the pages have them, which `pnpm run docs` writes from the comments: it sees to it that every function has one.
const root = join(import.meta.dirname, '../..')
const examples = globSync('docs/api/**/*.md', { cwd: root }).flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^#### Example\n\n```ts\n([^]*?)^```$/gm)].map((found) => {
    const { index } = found
    const [, code = ''] = found
    const [, id = ''] = /[^]*<a id="(.+?)">/.exec(text.slice(0, index)) ?? []
    const of = `${page.slice('docs/api/'.length, -'.md'.length)}-${id}`
    const printed = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line)
    return { of, code, file: `${of.replaceAll('/', '-')}.ts`, printed }
  })
})

const modules = shownModules('.api-examples', examples)
beforeAll(() => modules.write())
afterAll(() => modules.remove())

test('every example has a name', () => {
  expect(examples.length).toBeGreaterThan(50)
  expect(new Set(examples.map(({ file }) => file)).size).toBe(examples.length)
})

test('every example imports what it shows', () => {
  const others = examples.filter(({ code }) => !/^import .* from '@svc\//m.test(code))
  expect(others).toEqual([])
})

test('every example compiles', async () => {
  const { status, stdout } = await modules.compile()
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

for (const { of, file, printed } of examples) {
  if (printed.length === 0) continue
  test(`the example of ${of} prints what it says`, async () => {
    const { stdout, stderr } = await modules.run(file)
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toEqual(printed)
  })
}

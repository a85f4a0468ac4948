import { afterAll, beforeAll, expect, test } from 'vitest'
import { shownModules } from '../support/shown-modules.ts'
import { findExamples, findWithoutExample } from '../../scripts/docs/examples.ts'
import { readApi } from '../../scripts/docs/read-api.ts'

const { project } = await readApi()
const examples = findExamples(project).map(({ of, code }) => {
  const file = `${of.replace(/\W+/g, '-')}.ts`
  const printed = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text)
  return { of, code, file, printed }
})

const modules = shownModules('.api-examples', examples)
beforeAll(() => modules.write())
afterAll(() => modules.remove())

test('every exported function has one example', () => {
  expect(findWithoutExample(project)).toEqual([])
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

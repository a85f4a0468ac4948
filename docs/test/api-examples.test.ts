import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../test-support/run-program.ts'
import { findExamples, findWithoutExample } from '../src/examples.ts'
import { readApi } from '../src/read-api.ts'

const root = join(import.meta.dirname, '../..')
// In the examples, since their package depends on every other one and on the clients.
const folder = join(root, 'examples/.api-examples')

const tsconfig = {
  extends: '../../tsconfig.test.json',
  compilerOptions: { composite: false, customConditions: ['@svc/source'], skipLibCheck: true },
  // The last are what the sources declare for a library without types.
  include: ['*.ts', '../../packages/*/src/*.d.ts'],
}

const { project } = await readApi()
const examples = findExamples(project).map(({ of, code }) => {
  const file = `${of.replace(/\W+/g, '-')}.ts`
  const printed = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => text)
  return { of, code, file, printed }
})

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { file, code } of examples) writeFileSync(join(folder, file), code)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every exported function has one example', () => {
  expect(findWithoutExample(project)).toEqual([])
  expect(new Set(examples.map(({ file }) => file)).size).toBe(examples.length)
})

test('every example imports what it shows', () => {
  const others = examples.filter(({ code }) => !/^import .* from '@svc\//m.test(code))
  expect(others).toEqual([])
})

test('every example compiles', { timeout: 60_000 }, async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = await run(process.execPath, [tsc, '-p', folder])
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

for (const { of, file, printed } of examples) {
  if (printed.length === 0) continue
  test(`the example of ${of} prints what it says`, { timeout: 60_000 }, async () => {
    const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
    const { stdout, stderr } = await run(process.execPath, [...flags, join(folder, file)])
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toEqual(printed)
  })
}

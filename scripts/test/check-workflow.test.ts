import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { repository } from '../release/repository.ts'
import { checkWorkflow } from '../workflows/check-workflow.ts'

const files = (pattern: string): { name: string; text: string }[] =>
  globSync(join(repository, '.github', pattern)).map((path) => ({
    name: basename(path),
    text: readFileSync(path, 'utf8'),
  }))
const sha = '0123456789abcdef0123456789abcdef01234567'
const good = `
permissions: {}
concurrency: ci
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@${sha} # v1.2.3
        with:
          persist-credentials: false
      - run: .ci/run
`

test('every workflow is looked at', () => {
  const names = files('workflows/*').map(({ name }) => name)
  expect(names.sort()).toEqual([
    'ci.yml',
    'codeql.yml',
    'mutation.yml',
    'nightly.yml',
    'release.yml',
  ])
})

test.each(files('workflows/*'))('$name leaves nothing open', ({ text }) => {
  expect(checkWorkflow(text)).toEqual([])
})

test.each(files('{dependabot.yml,ISSUE_TEMPLATE/*.yml}'))('$name can be read', ({ text }) => {
  expect(parseDocument(text).errors).toEqual([])
})

test('a workflow that leaves nothing open is good', () => {
  expect(checkWorkflow(good)).toEqual([])
})

test('a workflow that calls another one of the same commit is good', () => {
  const calling = `${good}  ci:
    uses: ./.github/workflows/ci.yml
    permissions:
      contents: read
`
  expect(checkWorkflow(calling)).toEqual([])
  expect(checkWorkflow(calling.replace('./.github', 'someone/else/.github'))).not.toEqual([])
})

test('nothing is published that CI has not passed', () => {
  const [release] = files('workflows/release.yml')
  const { jobs } = parse(release?.text ?? '') as {
    jobs: { ci: { uses: string }; publish: { needs: string[] } }
  }
  expect(jobs.ci.uses).toBe('./.github/workflows/ci.yml')
  expect(jobs.publish.needs).toContain('ci')
})

describe('a workflow is refused', () => {
  test.each([
    ['with rights for every job', ['permissions: {}', 'permissions: read-all']],
    ['that names no rights', ['permissions: {}\n', '']],
    ['of which two may run at once', ['concurrency: ci\n', '']],
    ['with a job without rights of its own', ['    permissions:\n      contents: read\n', '']],
    ['with a job that may run for hours', ['    timeout-minutes: 5\n', '']],
    ['with all rights for a job', ['permissions:\n      contents: read', 'permissions: write-all']],
    [
      'that runs what a pull request brings with the rights of main',
      ['permissions: {}', 'on: pull_request_target\npermissions: {}'],
    ],
    ['that runs the name of a branch', ['.ci/run', 'echo ${{ github.head_ref }}']],
    ['with an identity for another job than publish', ['contents: read', 'id-token: write']],
    ['with an action that can change', [`@${sha}`, '@v1']],
    ['with an action of which nobody knows the version', [' # v1.2.3', '']],
    ['with a checkout that leaves its token behind', ['persist-credentials: false', 'path: .']],
    ['that uses a secret', ['.ci/run', 'echo ${{ secrets.NPM_TOKEN }}']],
    ['that is no YAML', ['jobs:', 'jobs: [']],
  ] satisfies [string, [string, string]][])('%s', (_fault, [from, to]) => {
    expect(good).toContain(from)
    expect(checkWorkflow(good.replace(from, to))).not.toEqual([])
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasProgram } from '../support/needs.ts'
import { readSnippets } from '../support/readme-snippets.ts'
import { run } from '../support/run-program.ts'
import { shownModules } from '../support/shown-modules.ts'

const python = '/usr/bin/python3'
const howToGet = 'apt-get install -y --no-install-recommends python3-botocore'
const hasBotocore = hasProgram('botocore', [python, '-c', 'import botocore'], howToGet)

const snippets = readSnippets('docs/guides/aws-recipes.md')
const modules = shownModules('.database-tokens', snippets)
beforeAll(() => modules.write())
afterAll(() => modules.remove())

const key = {
  accessKeyId: 'AKIDREADER',
  secretAccessKey: 'not-a-secret-key',
  sessionToken: 'not/a+secret=',
}
const environment = {
  AWS_ACCESS_KEY_ID: key.accessKeyId,
  AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  AWS_SESSION_TOKEN: key.sessionToken,
}

describe.skipIf(!hasBotocore)('botocore', () => {
  test.each(['rds-db', 'dsql'])('gives the same password for %s as the guide', async (service) => {
    const index = ['rds-db', 'dsql'].indexOf(service)
    const { stdout, stderr } = await modules.run(snippets[index]?.file ?? '', environment)
    expect(stderr).toBe('')
    const ours = new URL(`https://${stdout.trim()}`)
    const asked = { ...key, amzDate: ours.searchParams.get('X-Amz-Date') }
    const script = join(import.meta.dirname, 'sign_database_tokens.py')
    const theirs = await run(python, [script], JSON.stringify(asked))
    expect(theirs.stderr).toBe('')
    const [expected] = JSON.parse(theirs.stdout).slice(index) as string[]
    const { host, pathname, searchParams } = new URL(`https://${expected}`)
    expect(ours).toMatchObject({ host, pathname })
    expect(Object.fromEntries(ours.searchParams)).toEqual(Object.fromEntries(searchParams))
    expect(ours.searchParams.get('X-Amz-Expires')).toBe('900')
    expect(ours.searchParams.get('X-Amz-Credential')).toContain(`/eu-central-1/${service}/`)
  })
})

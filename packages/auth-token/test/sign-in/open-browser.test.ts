import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { inspect } from 'node:util'
import { openBrowser } from '@svc/auth-token/sign-in'
import { expect, onTestFinished, test } from 'vitest'

/** Puts a program in the place of the one that opens addresses. */
async function withOpener(script: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { PATH = '' } = process.env
  onTestFinished(() => void (process.env['PATH'] = PATH))
  process.env['PATH'] = folder
  if (script === undefined) return folder
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  return folder
}

test.skipIf(process.platform === 'win32')(
  'the program of the system gets the address, which no shell reads',
  async () => {
    const folder = await withOpener('printf %s "$1" > "${0%/*}/opened"')
    await openBrowser('https://login.example.com/authorize?a=1&b=$(id)%20')
    expect(await readFile(join(folder, 'opened'), 'utf8')).toBe(
      'https://login.example.com/authorize?a=1&b=$(id)%20',
    )
  },
)

test.skipIf(process.platform === 'win32')(
  'a program that fails, or that is not there, is an error',
  async () => {
    await withOpener('exit 3')
    await expect(openBrowser('https://login.example.com')).rejects.toThrow('ended with 3')
    await withOpener(undefined)
    const url = 'https://login.example.com/authorize?state=of-the-sign-in'
    const thrown: unknown = await openBrowser(url).catch((error: unknown) => error)
    expect(String(thrown)).toContain('ENOENT')
    expect(inspect(thrown)).not.toContain('of-the-sign-in')
  },
)

test.each(['javascript:alert(1)', 'file:///etc/passwd', '-a Calculator', 'http://a.example', ''])(
  'what is no address of a page is not opened: %s',
  async (url) => {
    await expect(openBrowser(url)).rejects.toThrow('url must be a URL with https://')
  },
)

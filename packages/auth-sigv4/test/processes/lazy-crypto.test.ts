import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { presign } from '@svc/auth-sigv4/presign'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { expect, test } from 'vitest'

/** Returns what a script prints, in a Node of its own. */
async function print(script: string): Promise<string> {
  const flags = ['--conditions=@svc/source', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, flags, {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  return stdout.trim()
}

const options = {
  baseUrl: 'https://search.example.com',
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
}
const url = `${options.baseUrl}/V1/report.csv`
const at = 1_369_353_600_000

const script = `
  const crypto = () => process.moduleLoadList.includes('NativeModule crypto')
  const { createSigV4Auth } = await import('@svc/auth-sigv4')
  const { presign } = await import('@svc/auth-sigv4/presign')
  const auth = createSigV4Auth({ ...${JSON.stringify(options)}, clock: () => ${at} })
  const isLoadedAtFirst = crypto()
  const { searchParams } = await presign(auth, '${url}')
  console.log(isLoadedAtFirst, crypto(), searchParams.get('X-Amz-Signature'))
`

/** By another engine, in this process. */
async function expectedSignature(): Promise<string | null> {
  const auth = createSigV4Auth({ ...options, engine: webCryptoEngine(), clock: () => at })
  return (await presign(auth, url)).searchParams.get('X-Amz-Signature')
}

test.each([
  ['node:crypto is loaded by the first signature, and not by an import', ''],
  [
    'Node before 20.16, which cannot be asked for a module, signs alike',
    'delete process.getBuiltinModule;',
  ],
])('%s', async (_what, before) => {
  expect(await print(before + script)).toBe(`false true ${await expectedSignature()}`)
})

import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { encodedForms } from '../support/encoded-forms.ts'
import { findText } from '../support/find-text.ts'

/** Secrets that stand nowhere else. Those that are no header hold what encodings change. */
export const secrets = {
  password: 'hidden "password" /+?ü 1f9c',
  secretAccessKey: 'hidden/secret+access=key~2e8d',
  sessionToken: 'hidden/session+token=3d7e',
  apiKeyHeader: 'hidden-api-key/+=4c6f',
  passphrase: 'hidden passphrase of a provider 5b5a',
} as const

/** The forms that each secret may have, and those of whatever was made from it in this test. */
export function formsOf(more: readonly string[] = []): string[] {
  return [...Object.values(secrets), ...more].flatMap(encodedForms)
}

/** A token as the service issues it. Each has a name of its own, and so a signature of its own. */
export function makeJwt(name: string): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: name, iat: now, exp: now + 86_400 }
  const signature = Buffer.from(`signature of ${name}`).toString('base64url')
  return [encode({ alg: 'HS256', typ: 'JWT' }), encode(claims), signature].join('.')
}

/** Finds where a value shows a secret: by a walk, printed, logged, cloned or made a string. */
export function leaksIn(value: unknown, more: readonly string[] = []): string[] {
  const forms = formsOf(more)
  const shows = (text: string): boolean => forms.some((form) => text.includes(form))
  return [
    ...findText(value, forms),
    ...(shows(logged(value)) ? ['console'] : []),
    ...(shows(asString(value)) ? ['String'] : []),
    ...findText(cloned(value), forms).map((path) => `structuredClone ${path}`),
  ]
}

/** Fails where a secret shows in a value. */
export function expectNoSecret(value: unknown, more: readonly string[] = []): void {
  expect(leaksIn(value, more)).toEqual([])
}

function logged(value: unknown): string {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  const console = new Console({ stdout: stream, stderr: stream })
  console.log(value)
  console.error('%s %o %O %c', value, value, value, value)
  console.dir(value, { depth: 10, showHidden: true, getters: true })
  console.table([value])
  return text
}

function asString(value: unknown): string {
  try {
    return String(value)
  } catch {
    // A value without a text shows nothing.
    return ''
  }
}

function cloned(value: unknown): unknown {
  try {
    return structuredClone(value)
  } catch {
    // Functions, and what holds them, are not cloned.
    return undefined
  }
}

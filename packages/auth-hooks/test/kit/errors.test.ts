import { inspect } from 'node:util'
import { AuthError, Secret } from '@svc/auth-hooks'
import { expect, test } from 'vitest'
import { loadErrorsAgain } from '../testing.ts'

test('an error carries its code, and what is known beside it', () => {
  const cause = new Error('cause')
  const error = new AuthError('ERR_AUTH_URL', 'message', { cause, status: 401, retryAt: 5 })
  expect(error).toMatchObject({ name: 'AuthError', code: 'ERR_AUTH_URL', message: 'message' })
  expect(error).toMatchObject({ status: 401, retryAt: 5, cause })
  expect(error).toBeInstanceOf(Error)
  expect(String(error)).toBe('AuthError: message')

  const bare = new AuthError('ERR_AUTH_URL', 'message')
  for (const name of ['status', 'retryAt', 'cause']) expect(bare).not.toHaveProperty(name)
})

test('an error of another copy of the package is recognised', async () => {
  const copy = await loadErrorsAgain()
  expect(copy.AuthError).not.toBe(AuthError)
  const foreign = new copy.AuthError('ERR_AUTH_URL', 'message')

  expect(foreign).not.toBeInstanceOf(AuthError)
  expect(AuthError.is(foreign)).toBe(true)
  expect(copy.AuthError.is(new AuthError('ERR_AUTH_URL', 'message'))).toBe(true)
  for (const other of [undefined, null, 'x', {}, new Error('x')]) {
    expect(AuthError.is(other)).toBe(false)
  }
})

test('a secret does not show itself', () => {
  const secret = new Secret('wJalr')
  const shown = [
    String(secret),
    ['', secret].join(),
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 10, showHidden: true }),
    inspect(new Error('x', { cause: { secret } }), { showHidden: true }),
    Object.values(secret).join(),
  ]
  expect(shown.join()).not.toContain('wJalr')
  expect(secret.reveal()).toBe('wJalr')
})

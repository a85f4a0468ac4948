import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as authToken from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { bundle } from '../support/bundle.ts'

test('two bundles of one server, each with a copy of the package, have one session', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'two-bundles-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const code = await bundle('../packages/auth-token/src/index.ts', 'node')
  const copies = await Promise.all(
    ['page.mjs', 'route.mjs'].map(async (file) => {
      await writeFile(join(folder, file), code)
      // Of the very package, which types cannot tell.
      const copy: unknown = await import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)
      return copy as typeof authToken
    }),
  )
  const [page, route] = copies as [(typeof copies)[0], (typeof copies)[0]]
  expect(page.createTokenAuth).not.toBe(route.createTokenAuth)
  const emulator = createEmulator()
  const service = await emulator.listen()
  onTestFinished(() => service.close())

  let password = 'wrong'
  const scheme = ({ createTokenAuth }: typeof page) =>
    createTokenAuth({
      baseUrl: service.url,
      credentials: () => ({ ...defaultUsers[0], password }),
    })
  const schemes = [scheme(page), scheme(route)] as const
  await expect(schemes[0].getToken()).rejects.toThrow('401')
  await expect(schemes[1].getToken()).rejects.toSatisfy((error) => page.AuthError.is(error))
  expect(emulator.requests).toHaveLength(1)

  // The credentials have changed: each finds the session that the other made.
  ;({ password } = defaultUsers[0])
  const statuses = await Promise.all(
    [page, route].map(async (copy) => {
      const response = await copy.authFetch(scheme(copy))(new URL('/user/groups', service.url))
      return response.status
    }),
  )
  expect(statuses).toEqual([200, 200])
  expect(await schemes[0].getToken()).toBe(await schemes[1].getToken())
  expect(emulator.logins).toBe(1)

  route.forgetSessions()
  await schemes[0].getToken()
  expect(emulator.logins).toBe(2)
})

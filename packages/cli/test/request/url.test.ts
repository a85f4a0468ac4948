import { expect, test } from 'vitest'
import { resolveUrl, UsageError } from '../testing.ts'

test.each([
  ['/user/groups', 'https://h.example', 'https://h.example/user/groups'],
  ['user/groups', 'https://h.example/api', 'https://h.example/api/user/groups'],
  ['/user/groups', 'https://h.example/api', 'https://h.example/api/user/groups'],
  ['//other.example/x', 'https://h.example/api', 'https://h.example/api//other.example/x'],
  ['V1:a/b', 'https://h.example', 'https://h.example/V1:a/b'],
  ['https://h.example/api/x?a=1', 'https://h.example/api', 'https://h.example/api/x?a=1'],
  ['V1.b:a/b', 'https://h.example', 'https://h.example/V1.b:a/b'],
  ['/h.example:443/b', 'https://h.example', 'https://h.example/h.example:443/b'],
  ['a.b/c', 'https://h.example', 'https://h.example/a.b/c'],
  ['https://h.example/api', 'https://h.example/api', 'https://h.example/api'],
  ['/V1/a b.csv', 'https://h.example', 'https://h.example/V1/a%20b.csv'],
])('%s below %s is %s', async (input, baseUrl, expected) => {
  expect((await resolveUrl(input, baseUrl)).url.href).toBe(expected)
})

test.each([
  ['https://other.example/x?secret=1', 'https://h.example'],
  ['http://h.example/x', 'https://h.example'],
  ['https://h.example/apis', 'https://h.example/api'],
  ['../x', 'https://h.example/api'],
  ['%2e%2e/x', 'https://h.example/api'],
])('%s is not below %s, and the message names both without a query', async (input, baseUrl) => {
  const error: unknown = await resolveUrl(input, baseUrl).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toMatch(/ is not below the base URL https:\/\/h\.example/)
  expect(String(error)).not.toContain('secret')
})

test.each(['/photos/a#b.txt', 'https://h.example/x#y', '?a=1#b', '#'])(
  '%s is an error that says how a # is written',
  async (path) => {
    await expect(resolveUrl(path, 'https://h.example')).rejects.toThrow('write %23 in its place')
  },
)

test.each([
  ['127.0.0.1:9000/photos/c.txt', '127.0.0.1:9000', 'http://127.0.0.1:9000'],
  ['localhost:9000', 'localhost:9000', 'http://127.0.0.1:9000'],
  ['[::1]:9000/a', '[::1]:9000', 'http://127.0.0.1:9000'],
  ['other.example:443?a=1', 'other.example:443', 'https://h.example'],
  ['h.example/V1/a', 'h.example', 'https://h.example'],
])('%s is an error that asks for the scheme of %s', async (path, host, baseUrl) => {
  const { protocol } = new URL(baseUrl)
  await expect(resolveUrl(path, baseUrl)).rejects.toThrow(
    `${host} looks like a host: write ${protocol}//${host}, or /${host} for a path`,
  )
})

test('a user name in a URL is an error that does not show it', async () => {
  const resolved = resolveUrl('https://me:hidden@h.example/x', 'https://h.example')
  const error: unknown = await resolved.catch((reason: unknown) => reason)
  expect(String(error)).toContain('must not contain a user name or a password')
  expect(String(error)).not.toContain('hidden')
})

import { expect, test } from 'vitest'
import { resolveUrl, UsageError } from '../../testing.ts'

test.each([
  ['/user/groups', 'https://h.example', 'https://h.example/user/groups'],
  ['user/groups', 'https://h.example/api', 'https://h.example/api/user/groups'],
  ['/user/groups', 'https://h.example/api/', 'https://h.example/api/user/groups'],
  ['//other.example/x', 'https://h.example/api', 'https://h.example/api/other.example/x'],
  ['V1:a/b', 'https://h.example', 'https://h.example/V1:a/b'],
  ['https://h.example/api/x?a=1#top', 'https://h.example/api', 'https://h.example/api/x?a=1'],
  ['https://h.example/api', 'https://h.example/api', 'https://h.example/api'],
  ['/V1/a b.csv', 'https://h.example', 'https://h.example/V1/a%20b.csv'],
])('%s below %s is %s', (input, baseUrl, expected) => {
  expect(resolveUrl(input, baseUrl).href).toBe(expected)
})

test.each([
  ['https://other.example/x?secret=1', 'https://h.example'],
  ['http://h.example/x', 'https://h.example'],
  ['https://h.example/apis', 'https://h.example/api'],
  ['../x', 'https://h.example/api'],
  ['%2e%2e/x', 'https://h.example/api'],
])('%s is not below %s, and the message names both without a query', (input, baseUrl) => {
  const resolve = () => resolveUrl(input, baseUrl)
  expect(resolve).toThrow(UsageError)
  expect(resolve).toThrow(/ is not below the base URL https:\/\/h\.example\//)
  expect(resolve).not.toThrow(/secret/)
})

test('a user name in a URL is an error that does not show it', () => {
  const resolve = () => resolveUrl('https://me:hidden@h.example/x', 'https://h.example')
  expect(resolve).toThrow('<path> has a user name or a password')
  expect(resolve).not.toThrow(/hidden/)
})

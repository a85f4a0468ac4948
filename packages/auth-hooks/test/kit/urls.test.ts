import { isLoopback, matchOrigins, parseBaseUrl } from '@svc/auth-hooks/scheme'
import { describe, expect, test } from 'vitest'

test.each([
  ['https://a.example', 'https://a.example/path', true],
  ['https://a.example', 'https://a.example:443/', true],
  ['https://a.example', 'http://a.example/', false],
  ['https://a.example', 'https://a.example:8443/', false],
  ['https://a.example', 'https://a.example./', false],
  ['https://a.example', 'https://b.a.example/', false],
  ['https://*.a.example', 'https://b.a.example/', true],
  ['https://*.a.example', 'https://a.example/', false],
  ['https://*.a.example', 'https://c.b.a.example/', false],
  ['https://*.a.example', 'https://evil-a.example/', false],
  ['https://*.a.example', 'http://b.a.example/', false],
  ['https://*.a.example:8443', 'https://b.a.example:8443/', true],
])('%s covers %s: %s', (origin, url, isCovered) => {
  expect(matchOrigins([origin], '[p] f', 'origins')(new URL(url))).toBe(isCovered)
})

test('an empty list of origins covers nothing', () => {
  expect(matchOrigins([], '[p] f', 'origins')(new URL('https://a.example'))).toBe(false)
})

test.each([
  '',
  'a.example',
  'ftp://a.example',
  'https://a.example/path',
  'https://u:p@a.example',
  'https://*.*.example',
  '*',
])('%j is no origin, and the message names the option', (origin) => {
  const build = () => matchOrigins(['https://a.example', origin], '[p] f', 'origins')
  expect(build).toThrow(TypeError)
  expect(build).toThrow('origins[1]')
})

describe('baseUrl', () => {
  test.each([
    '',
    'a.example',
    'ftp://a.example',
    'https://me:hunter2@a.example',
    'https://a.example?x',
    'https://a.example#x',
  ])('%j is a TypeError that names it and shows no password', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl, '[p] f')).toThrow(TypeError)
    expect(() => parseBaseUrl(baseUrl, '[p] f')).toThrow(/^\[p\] f: baseUrl (?!.*hunter2)/)
  })

  test('may have a path', () => {
    expect(parseBaseUrl('https://a.example/base', '[p] f').pathname).toBe('/base')
  })
})

test.each([
  ['http://localhost:1', true],
  ['http://a.localhost', true],
  ['http://127.1.2.3', true],
  ['http://[::1]', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['http://10.0.0.1', false],
])('%s is this machine: %s', (url, isThisMachine) => {
  expect(isLoopback(new URL(url))).toBe(isThisMachine)
})

test.each([
  ['https://example.com/', true],
  ['https://example.com/a?b', true],
  ['https://example.com:443/a', true],
  ['https://user:password@example.com/a', true],
  ['https://example.com.evil.test/', false],
  ['https://example.com@evil.test/', false],
  ['https://example.com:8443/', false],
  ['http://example.com/', false],
  ['https://other.test/', true],
])('the origin of the environment is covered beside those listed: %s %s', (url, isCovered) => {
  const home = new URL('https://example.com/base/path')
  expect(matchOrigins(['https://other.test'], '[p] f', 'origins', home)(new URL(url))).toBe(
    isCovered,
  )
})

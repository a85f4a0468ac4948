import { describe, expect, test } from 'vitest'
import { checkDependencies } from '../licences/check-dependencies.ts'
import { checkLicences } from '../licences/check-licences.ts'

const isNever = (): boolean => false
const isAlways = (): boolean => true

describe('a licence', () => {
  test.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND BSD-3-Clause'])('%s is good', (licence) => {
    expect(checkLicences({ [licence]: [{ name: 'a' }] }, isAlways)).toEqual([])
  })

  test.each([
    'GPL-3.0-only',
    'Unknown',
    'MIT AND GPL-3.0-only',
    '(MIT OR ISC) AND GPL-3.0-only',
    'CC-BY-4.0',
  ])('%s is refused', (licence) => {
    expect(checkLicences({ [licence]: [{ name: 'a' }] }, isNever)).toEqual([
      `a is under ${licence}`,
    ])
  })

  test('that binds its own files is good for what stays here, and refused for what users get', () => {
    const list = { 'MPL-2.0': [{ name: 'a' }] }
    expect(checkLicences(list, isNever)).toEqual([])
    expect(checkLicences(list, isAlways)).toEqual(['a is under MPL-2.0'])
  })

  test('is granted to a package by its name alone', () => {
    const list = { 'CC-BY-4.0': [{ name: 'caniuse-lite' }, { name: 'other' }] }
    expect(checkLicences(list, isNever)).toEqual(['other is under CC-BY-4.0'])
  })
})

describe('a package', () => {
  const types = { name: '@svc/types' }

  test('may depend on another of ours, and have optional peers', () => {
    const manifest = {
      name: '@svc/auth-hooks',
      dependencies: { '@svc/types': '^0.1.0' },
      peerDependencies: { axios: '*' },
      peerDependenciesMeta: { axios: { optional: true } },
    }
    expect(checkDependencies([types, manifest])).toEqual([])
  })

  test('may not depend on anything else', () => {
    const manifest = { name: '@svc/auth-token', dependencies: { jose: '6.2.17' } }
    expect(checkDependencies([types, manifest])).toEqual(['@svc/auth-token depends on jose'])
  })

  test('may not demand a peer', () => {
    const manifest = { name: '@svc/auth-sigv4', peerDependencies: { aws4: '*' } }
    expect(checkDependencies([manifest])).toEqual(['@svc/auth-sigv4 demands aws4'])
  })
})

import { expect, test } from 'vitest'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'

const user = { username: 'u', password: 'p' }
const apiKey = { accessKeyId: 'k', secretAccessKey: 's' }

test.each<[named: string, options: unknown]>([
  ['users', { users: {} }],
  ['users[0].username', { users: [{ ...user, username: '' }] }],
  ['users[0].username', { users: [{ password: 'p' }] }],
  ['users[1].password', { users: [user, { username: 'v', password: '' }] }],
  ['users[0].parentUid', { users: [{ ...user, parentUid: '' }] }],
  ['users[0].uid', { users: [{ ...user, uid: '' }] }],
  ['users[0].uid', { users: [{ ...user, uid: 'a', parentUid: 'b' }] }],
  ['users[0].groups', { users: [{ ...user, groups: {} }] }],
  ['users[1] is a duplicate', { users: [user, { ...user, password: 'other' }] }],
  ['apiKeys', { apiKeys: 'k' }],
  ['apiKeys[0].accessKeyId', { apiKeys: [{ ...apiKey, accessKeyId: '' }] }],
  ['apiKeys[0].accessKeyId', { apiKeys: [{ ...apiKey, accessKeyId: 'a/b' }] }],
  ['apiKeys[0].secretAccessKey', { apiKeys: [{ accessKeyId: 'k' }] }],
  ['apiKeys[0].sessionToken', { apiKeys: [{ ...apiKey, sessionToken: '' }] }],
  ['apiKeys[1] is a duplicate', { apiKeys: [apiKey, apiKey] }],
  ['region', { region: '' }],
  ['region', { region: 'a/b' }],
  ['vendorPrefix', { vendorPrefix: '' }],
  ['vendorPrefix', { vendorPrefix: 'a b' }],
  ['tokenLifetimeSeconds', { tokenLifetimeSeconds: 0 }],
  ['tokenLifetimeSeconds', { tokenLifetimeSeconds: 1.5 }],
  ['uniqueSessionEndsOthers', { uniqueSessionEndsOthers: 'yes' }],
  ['repeatedParameters', { repeatedParameters: 'random' }],
  ['maxBodyBytes', { maxBodyBytes: -1 }],
  ['maxRecordedRequests', { maxRecordedRequests: Number.NaN }],
  ['clock', { clock: 0 }],
])('a bad option throws a TypeError that names %s', (named, options) => {
  const create = () => Reflect.apply(createEmulator, undefined, [options])
  expect(create).toThrow(TypeError)
  expect(create).toThrow(named)
})

test('users of one name under different primary accounts are no duplicates', () => {
  const users = [user, { ...user, parentUid: 'a' }, { ...user, parentUid: 'b' }]
  expect(() => createEmulator({ users })).not.toThrow()
})

test('the defaults are good options themselves', () => {
  expect(() => createEmulator({ users: defaultUsers, apiKeys: defaultApiKeys })).not.toThrow()
})

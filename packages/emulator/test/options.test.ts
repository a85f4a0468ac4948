import { expect, test } from 'vitest'
import { createEmulator, defaultApiKeys, defaultUsers, verifySigV4 } from '@svc/emulator'
import { listening } from './support/emulator.ts'
import { sign, testAt, testKey } from './support/sign.ts'

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
  ['options', null],
  ['options', []],
  ['options', 'us-east-1'],
  ['users', { users: null }],
  ['users[0]', { users: [null] }],
  ['users[0]', { users: ['u'] }],
  ['users[0]', { users: [[]] }],
  // eslint-disable-next-line no-sparse-arrays -- a hole is what is tested
  ['users[0]', { users: [, user] }],
  ['users[0].username', { users: [{ ...user, username: 5 }] }],
  ['users[0].password', { users: [{ ...user, password: null }] }],
  ['users[0].parentUid', { users: [{ ...user, parentUid: null }] }],
  ['users[0].uid', { users: [{ ...user, uid: 5 }] }],
  ['users[0].ParentUid', { users: [{ ...user, ParentUid: 'a' }] }],
  ['users[0].groups', { users: [{ ...user, groups: null }] }],
  ['users[0].groups[0]', { users: [{ ...user, groups: [null] }] }],
  ['users[0].groups[0].id', { users: [{ ...user, groups: [{ name: 'g', permissions: [] }] }] }],
  ['users[0].groups[0].permissions', { users: [{ ...user, groups: [{ id: 'i', name: 'g' }] }] }],
  [
    'users[0].groups[0].permissions[0]',
    { users: [{ ...user, groups: [{ id: 'i', name: 'g', permissions: [null] }] }] },
  ],
  [
    'users[0].groups[0].permissions[0].Actions',
    { users: [{ ...user, groups: [{ id: 'i', name: 'g', permissions: [{ Actions: [5] }] }] }] },
  ],
  ['apiKeys', { apiKeys: null }],
  ['apiKeys[0]', { apiKeys: [null] }],
  ['apiKeys[0]', { apiKeys: [5] }],
  ['apiKeys[0].accessKeyId', { apiKeys: [{ ...apiKey, accessKeyId: ['k'] }] }],
  ['apiKeys[0].secretAccessKey', { apiKeys: [{ ...apiKey, secretAccessKey: 5 }] }],
  ['apiKeys[0].sessionToken', { apiKeys: [{ ...apiKey, sessionToken: null }] }],
  ['region', { region: 5 }],
  ['region', { region: null }],
  ['region', { region: ['us-east-1'] }],
  ['vendorPrefix', { vendorPrefix: 5 }],
  ['vendorPrefix', { vendorPrefix: null }],
  ['vendorPrefix', { vendorPrefix: ['svc'] }],
  ['tokenLifetimeSeconds', { tokenLifetimeSeconds: '60' }],
  ['tokenLifetimeSeconds', { tokenLifetimeSeconds: null }],
  ['uniqueSessionEndsOthers', { uniqueSessionEndsOthers: null }],
  ['repeatedParameters', { repeatedParameters: ['by-value'] }],
  ['plusInPath', { plusInPath: '+' }],
  ['bodiesWithoutLength', { bodiesWithoutLength: true }],
  ['maxBodyBytes', { maxBodyBytes: null }],
  ['maxBodyBytes', { maxBodyBytes: 2n }],
  ['maxPendingBytes', { maxPendingBytes: 0 }],
  ['maxRecordedBytes', { maxRecordedBytes: '1' }],
  ['clock', { clock: null }],
  ['onRequest', { onRequest: {} }],
  ['user is not an option; did you mean users?', { user: [] }],
  ['Region is not an option; did you mean region?', { Region: 'x' }],
])('a bad option throws a TypeError that names %s', (named, options) => {
  const create = () => Reflect.apply(createEmulator, undefined, [options])
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`[@svc/emulator] createEmulator: ${named}`)
})

test('an option that is undefined counts as absent, a misspelt one too', () => {
  const options = { users: undefined, region: undefined, clock: undefined, regoin: undefined }
  expect(() => Reflect.apply(createEmulator, undefined, [options])).not.toThrow()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, '5', undefined, 1e300])(
  'a clock that returns %s rejects a request with a TypeError that names it',
  async (instant) => {
    const emulator = Reflect.apply(createEmulator, undefined, [{ clock: () => instant }])
    const response = emulator.fetch('http://localhost/')
    await expect(response).rejects.toThrow(TypeError)
    await expect(response).rejects.toThrow('[@svc/emulator] createEmulator: clock')
  },
)

test.each([null, 5, {}, ''])('revokeTokens of %j throws a TypeError that names it', (username) => {
  const emulator = createEmulator()
  const call = (given: string) => emulator.revokeTokens(given)
  const revoke = () => Reflect.apply(call, undefined, [username])
  expect(revoke).toThrow(TypeError)
  expect(revoke).toThrow('[@svc/emulator] revokeTokens: username')
})

const verifyOptions = { apiKeys: [testKey], region: 'us-east-1' }

test.each<[named: string, request: unknown, options: unknown]>([
  ['request', null, verifyOptions],
  ['request', undefined, verifyOptions],
  ['request', 'GET /', verifyOptions],
  ['request.method', { ...sign({}), method: undefined }, verifyOptions],
  ['request.target', { ...sign({}), target: new URL('http://h/') }, verifyOptions],
  ['request.rawHeaders', { ...sign({}), rawHeaders: { host: 'h' } }, verifyOptions],
  ['request.rawHeaders[0]', { ...sign({}), rawHeaders: ['host', 'h'] }, verifyOptions],
  ['request.rawHeaders[0]', { ...sign({}), rawHeaders: [null] }, verifyOptions],
  ['request.rawHeaders[0]', { ...sign({}), rawHeaders: [['host', 5]] }, verifyOptions],
  ['request.body', { ...sign({}), body: 'text' }, verifyOptions],
  ['request.body', { ...sign({}), body: undefined }, verifyOptions],
  ['options', sign({}), null],
  ['options', sign({}), undefined],
  ['apiKeys', sign({}), { region: 'us-east-1' }],
  ['apiKeys[0]', sign({}), { ...verifyOptions, apiKeys: [null] }],
  ['apiKeys[0].secretAccessKey', sign({}), { ...verifyOptions, apiKeys: [{ accessKeyId: 'k' }] }],
  ['region', sign({}), { apiKeys: [testKey] }],
  ['region', sign({}), { ...verifyOptions, region: 5 }],
  ['service', sign({}), { ...verifyOptions, service: '' }],
  ['service', sign({}), { ...verifyOptions, service: null }],
  ['clock', sign({}), { ...verifyOptions, clock: testAt }],
  ['clock', sign({}), { ...verifyOptions, clock: () => 'x' }],
  ['maxSkewMs', sign({}), { ...verifyOptions, maxSkewMs: -1 }],
  ['maxSkewMs', sign({}), { ...verifyOptions, maxSkewMs: Number.NaN }],
  ['maxSkewMs', sign({}), { ...verifyOptions, maxSkewMs: '900000' }],
  ['repeatedParameters', sign({}), { ...verifyOptions, repeatedParameters: 'random' }],
  ['plusInPath', sign({}), { ...verifyOptions, plusInPath: null }],
  ['bodiesWithoutLength', sign({}), { ...verifyOptions, bodiesWithoutLength: 'no' }],
  [
    'apiKey is not an option; did you mean apiKeys?',
    sign({}),
    { ...verifyOptions, apiKey: testKey },
  ],
])('verifySigV4 rejects with a TypeError that names %s', async (named, request, options) => {
  const verification = Reflect.apply(verifySigV4, undefined, [request, options])
  await expect(verification).rejects.toThrow(TypeError)
  await expect(verification).rejects.toThrow(`[@svc/emulator] verifySigV4: ${named}`)
})

test('onRequest sees each request with its response, and may throw', async () => {
  const seen: unknown[] = []
  const { emulator, signed } = await listening({
    onRequest: ({ method, path, status, auth }) => {
      seen.push([method, path, status, auth.ok])
      throw new Error('an observer')
    },
  })
  emulator.fault({ path: '/dropped', drop: true })
  expect((await signed({ method: 'PUT', target: '/V1/a', body: 'x' })).status).toBe(200)
  expect((await emulator.fetch('http://localhost/V1/b')).status).toBe(403)
  await expect(emulator.fetch('http://localhost/dropped')).rejects.toThrow(TypeError)
  expect(seen).toEqual([
    ['PUT', '/V1/a', 200, true],
    ['GET', '/V1/b', 403, false],
    ['GET', '/dropped', undefined, false],
  ])
})

test('users of one name under different primary accounts are no duplicates', () => {
  const users = [user, { ...user, parentUid: 'a' }, { ...user, parentUid: 'b' }]
  expect(() => createEmulator({ users })).not.toThrow()
})

test('users are told apart although arrays become some other JSON, as with old libraries', () => {
  const users = [user, { ...user, parentUid: 'a' }, { ...user, parentUid: 'b' }]
  Reflect.set(Array.prototype, 'toJSON', () => '[]')
  try {
    expect(() => createEmulator({ users })).not.toThrow()
  } finally {
    Reflect.deleteProperty(Array.prototype, 'toJSON')
  }
})

test('the defaults are good options themselves', () => {
  expect(() => createEmulator({ users: defaultUsers, apiKeys: defaultApiKeys })).not.toThrow()
})

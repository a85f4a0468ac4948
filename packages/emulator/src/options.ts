import type { RepeatedParameters } from './sigv4/canonical-request.ts'
import type { EmulatorApiKey } from './sigv4/verify.ts'
import { type EmulatorUser, userIdentity } from './user/tokens.ts'

/** Options of `createEmulator`. */
export interface EmulatorOptions {
  /**
   * The users who can log in.
   * @default `defaultUsers`
   */
  readonly users?: readonly EmulatorUser[]
  /**
   * The keys whose signatures are accepted.
   * @default `defaultApiKeys`
   */
  readonly apiKeys?: readonly EmulatorApiKey[]
  /**
   * The region that signatures must name.
   * @default `'us-east-1'`
   */
  readonly region?: string
  /**
   * The prefix in `x-<prefix>-security-token` and `x-<prefix>-route-token`.
   * @default `'svc'`
   */
  readonly vendorPrefix?: string
  /**
   * The lifetime of a token, in seconds.
   * @default `86_400`
   */
  readonly tokenLifetimeSeconds?: number
  /**
   * `true` if a login with `UniqueSession: true` ends the user's earlier tokens. This is an assumption:
   * the service's interface does not explain `UniqueSession`.
   * @default `true`
   */
  readonly uniqueSessionEndsOthers?: boolean
  /**
   * The order of the values of a repeated query parameter in the signature: by value, as AWS
   * specifies, or in the order they arrived, as MinIO and Ceph do.
   * @default `'by-value'`
   */
  readonly repeatedParameters?: RepeatedParameters
  /**
   * The largest body that is read, in bytes; larger ones get a 413.
   * @default `268_435_456`
   */
  readonly maxBodyBytes?: number
  /**
   * The number of requests that `requests` of the emulator keeps; the oldest are dropped first.
   * @default `100_000`
   */
  readonly maxRecordedRequests?: number
  /**
   * The clock of the service, in epoch milliseconds.
   * @default `Date.now`
   */
  readonly clock?: () => number
}

/**
 * The users that an emulator has when you give it none: a primary user, and a subaccount user of the
 * same tenant. Nothing in them is secret.
 *
 * @see {@link EmulatorOptions.users}
 */
export const defaultUsers: readonly [primary: EmulatorUser, subaccount: EmulatorUser] = [
  {
    username: 'primary@example.com',
    password: 'not-a-secret-primary',
    uid: 'tenant-0001',
    groups: [
      {
        id: 'group-0001',
        name: 'Everything',
        permissions: [{ Actions: ['*'], Condition: {} }],
      },
      {
        id: 'group-0002',
        name: 'Reports',
        permissions: [{ Actions: ['GetObject', 'ListObjects'], Condition: {} }],
      },
    ],
  },
  {
    username: 'subaccount@example.com',
    password: 'not-a-secret-subaccount',
    parentUid: 'tenant-0001',
    groups: [
      {
        id: 'group-0002',
        name: 'Reports',
        permissions: [{ Actions: ['GetObject'], Condition: {} }],
      },
      { id: 'group-0003', name: 'Nothing yet', permissions: [] },
    ],
  },
]

/**
 * The key that an emulator accepts when you give it none. Nothing in it is secret.
 *
 * @see {@link EmulatorOptions.apiKeys}
 */
export const defaultApiKeys: readonly [apiKey: EmulatorApiKey] = [
  { accessKeyId: 'EMULATORCLIENTKEY', secretAccessKey: 'not-a-secret-emulator-key' },
]

/** Checked options, every one of them there. */
export type EmulatorSettings = Required<EmulatorOptions>

/** Fills in the defaults; throws a `TypeError` that names a wrong option. */
export function readEmulatorOptions(options: EmulatorOptions): EmulatorSettings {
  const settings: EmulatorSettings = {
    users: options.users ?? defaultUsers,
    apiKeys: options.apiKeys ?? defaultApiKeys,
    region: options.region ?? 'us-east-1',
    vendorPrefix: options.vendorPrefix ?? 'svc',
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 86_400,
    uniqueSessionEndsOthers: options.uniqueSessionEndsOthers ?? true,
    repeatedParameters: options.repeatedParameters ?? 'by-value',
    maxBodyBytes: options.maxBodyBytes ?? 256 * 1024 * 1024,
    maxRecordedRequests: options.maxRecordedRequests ?? 100_000,
    clock: options.clock ?? Date.now,
  }
  assertUsers(settings.users)
  assertApiKeys(settings.apiKeys)
  assertOption(
    /^[^/,\s]+$/.test(settings.region),
    'region',
    'must be a name without "/", "," or spaces',
  )
  assertOption(
    /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(settings.vendorPrefix),
    'vendorPrefix',
    'must consist of letters and digits, separated by "-"',
  )
  assertCount(settings.tokenLifetimeSeconds, 'tokenLifetimeSeconds')
  assertCount(settings.maxBodyBytes, 'maxBodyBytes')
  assertCount(settings.maxRecordedRequests, 'maxRecordedRequests')
  assertOption(
    typeof settings.uniqueSessionEndsOthers === 'boolean',
    'uniqueSessionEndsOthers',
    'must be true or false',
  )
  assertOption(
    ['by-value', 'wire-order'].includes(settings.repeatedParameters),
    'repeatedParameters',
    'must be "by-value" or "wire-order"',
  )
  assertOption(typeof settings.clock === 'function', 'clock', 'must be a function')
  return { ...settings, vendorPrefix: settings.vendorPrefix.toLowerCase() }
}

function assertUsers(users: readonly EmulatorUser[]): void {
  assertOption(Array.isArray(users), 'users', 'must be an array')
  const identities = new Set<string>()
  for (const [index, user] of users.entries()) {
    const option = `users[${index}]`
    assertText(user.username, `${option}.username`)
    assertText(user.password, `${option}.password`)
    if (user.parentUid !== undefined) assertText(user.parentUid, `${option}.parentUid`)
    if (user.uid !== undefined) assertText(user.uid, `${option}.uid`)
    assertOption(
      user.parentUid === undefined || user.uid === undefined,
      `${option}.uid`,
      'is only for primary users, but this user has a parentUid',
    )
    assertOption(
      user.groups === undefined || Array.isArray(user.groups),
      `${option}.groups`,
      'must be an array',
    )
    const identity = userIdentity(user)
    assertOption(!identities.has(identity), option, `is a duplicate of "${user.username}"`)
    identities.add(identity)
  }
}

function assertApiKeys(apiKeys: readonly EmulatorApiKey[]): void {
  assertOption(Array.isArray(apiKeys), 'apiKeys', 'must be an array')
  const seen = new Set<string>()
  for (const [index, apiKey] of apiKeys.entries()) {
    const option = `apiKeys[${index}]`
    assertText(apiKey.accessKeyId, `${option}.accessKeyId`)
    assertOption(
      /^[^/,\s]+$/.test(apiKey.accessKeyId),
      `${option}.accessKeyId`,
      'must not contain "/", "," or spaces',
    )
    assertText(apiKey.secretAccessKey, `${option}.secretAccessKey`)
    if (apiKey.sessionToken !== undefined) assertText(apiKey.sessionToken, `${option}.sessionToken`)
    assertOption(!seen.has(apiKey.accessKeyId), option, `is a duplicate of "${apiKey.accessKeyId}"`)
    seen.add(apiKey.accessKeyId)
  }
}

function assertText(value: unknown, option: string): void {
  assertOption(typeof value === 'string' && value !== '', option, 'must be a non-empty string')
}

function assertCount(value: number, option: string): void {
  assertOption(Number.isSafeInteger(value) && value > 0, option, 'must be a positive integer')
}

/** Throws a `TypeError` that names the option, unless the condition holds. */
export function assertOption(condition: boolean, option: string, problem: string): void {
  if (!condition) throw new TypeError(`[@svc/emulator] ${option} ${problem}`)
}

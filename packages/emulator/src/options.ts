import type { ObjectGroup } from '@svc/types'
import type { RepeatedParameters } from './sigv4/canonical-request.ts'
import type { EmulatorApiKey } from './sigv4/verify.ts'

/** Options of `createEmulator`. */
export interface EmulatorOptions {
  /**
   * Who can log in.
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
   * How long a token is valid, in seconds.
   * @default `86_400`
   */
  readonly tokenLifetimeSeconds?: number
  /**
   * Whether a login with `UniqueSession: true` ends the user's earlier tokens. This is an assumption:
   * the service's interface does not say what `UniqueSession` means.
   * @default `true`
   */
  readonly uniqueSessionEndsOthers?: boolean
  /**
   * How the values of a repeated query parameter are ordered for signing: by value, as AWS
   * specifies, or in the order they arrived, as MinIO and Ceph do.
   * @default `'by-value'`
   */
  readonly repeatedParameters?: RepeatedParameters
  /**
   * The largest body that is read, in bytes; larger ones are answered with 413.
   * @default `268_435_456`
   */
  readonly maxBodyBytes?: number
  /**
   * How many requests `requests` of the emulator keeps; the oldest are dropped first.
   * @default `100_000`
   */
  readonly maxRecordedRequests?: number
  /**
   * The clock of the service, in epoch milliseconds.
   * @default `Date.now`
   */
  readonly clock?: () => number
}

/** Checked options, every one of them there. */
export type EmulatorSettings = Required<EmulatorOptions>

/** Fills in the defaults; throws a `TypeError` that names what is wrong. */
export function readOptions(options: EmulatorOptions): EmulatorSettings {
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
  checkUsers(settings.users)
  checkApiKeys(settings.apiKeys)
  check(/^[^/,\s]+$/.test(settings.region), 'region', 'must be a name without "/", "," or spaces')
  check(
    /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(settings.vendorPrefix),
    'vendorPrefix',
    'must consist of letters and digits, separated by "-"',
  )
  checkCount(settings.tokenLifetimeSeconds, 'tokenLifetimeSeconds')
  checkCount(settings.maxBodyBytes, 'maxBodyBytes')
  checkCount(settings.maxRecordedRequests, 'maxRecordedRequests')
  check(
    typeof settings.uniqueSessionEndsOthers === 'boolean',
    'uniqueSessionEndsOthers',
    'must be true or false',
  )
  check(
    ['by-value', 'wire-order'].includes(settings.repeatedParameters),
    'repeatedParameters',
    'must be "by-value" or "wire-order"',
  )
  check(typeof settings.clock === 'function', 'clock', 'must be a function')
  return { ...settings, vendorPrefix: settings.vendorPrefix.toLowerCase() }
}

function checkUsers(users: readonly EmulatorUser[]): void {
  check(Array.isArray(users), 'users', 'must be an array')
  const identities = new Set<string>()
  for (const [index, user] of users.entries()) {
    const option = `users[${index}]`
    checkText(user.username, `${option}.username`)
    checkText(user.password, `${option}.password`)
    if (user.parentUid !== undefined) checkText(user.parentUid, `${option}.parentUid`)
    if (user.uid !== undefined) checkText(user.uid, `${option}.uid`)
    check(
      user.parentUid === undefined || user.uid === undefined,
      `${option}.uid`,
      'is only for primary users, but this user has a parentUid',
    )
    check(
      user.groups === undefined || Array.isArray(user.groups),
      `${option}.groups`,
      'must be an array',
    )
    const identity = userIdentity(user)
    check(!identities.has(identity), option, `is a duplicate of "${user.username}"`)
    identities.add(identity)
  }
}

function checkApiKeys(apiKeys: readonly EmulatorApiKey[]): void {
  check(Array.isArray(apiKeys), 'apiKeys', 'must be an array')
  const seen = new Set<string>()
  for (const [index, apiKey] of apiKeys.entries()) {
    const option = `apiKeys[${index}]`
    checkText(apiKey.accessKeyId, `${option}.accessKeyId`)
    check(
      /^[^/,\s]+$/.test(apiKey.accessKeyId),
      `${option}.accessKeyId`,
      'must not contain "/", "," or spaces',
    )
    checkText(apiKey.secretAccessKey, `${option}.secretAccessKey`)
    if (apiKey.sessionToken !== undefined) checkText(apiKey.sessionToken, `${option}.sessionToken`)
    check(!seen.has(apiKey.accessKeyId), option, `is a duplicate of "${apiKey.accessKeyId}"`)
    seen.add(apiKey.accessKeyId)
  }
}

/** Tells apart users of one name under different primary accounts. */
export function userIdentity(user: EmulatorUser): string {
  return JSON.stringify([user.username, user.parentUid ?? null])
}

function checkText(value: unknown, option: string): void {
  check(typeof value === 'string' && value !== '', option, 'must be a non-empty string')
}

function checkCount(value: number, option: string): void {
  check(Number.isSafeInteger(value) && value > 0, option, 'must be a positive integer')
}

function check(condition: boolean, option: string, complaint: string): void {
  if (!condition) throw new TypeError(`[@svc/emulator] ${option} ${complaint}`)
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

/** A user who can log in. */
export interface EmulatorUser {
  /** The account name; `Username` of the login. */
  readonly username: string
  /** The password; `Password` of the login. */
  readonly password: string
  /**
   * For a subaccount user, the external ID of its primary account, which its logins must send as
   * `ParentUid`.
   * @default none, for a primary user
   */
  readonly parentUid?: string
  /**
   * A primary user's own external ID: the only `ParentUid` that its logins may send.
   * @default none, and its logins may not send a `ParentUid`
   */
  readonly uid?: string
  /**
   * What `GET /user/groups` lists.
   * @default `[]`
   */
  readonly groups?: readonly ObjectGroup[]
}

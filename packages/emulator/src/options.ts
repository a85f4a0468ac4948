import { type Checks, checkedClock, checksOf } from './checks.ts'
import type { RecordedRequest } from './http/recorder.ts'
import type { PlusInPath, RepeatedParameters } from './sigv4/canonical-request.ts'
import type { BodiesWithoutLength } from './sigv4/payload.ts'
import { checkApiKeys, checkReading, checkRegion, type EmulatorApiKey } from './sigv4/options.ts'
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
   * The meaning of a `+` in a path: itself, as AWS's documents say, or a space, as S3 is reported to
   * read it.
   * @default `'plus'`
   */
  readonly plusInPath?: PlusInPath
  /**
   * `'rejected'` if a signed request whose body has neither a `content-length` nor `aws-chunked` gets
   * a 411. This is an assumption: servers like S3 do so, but the service's interface says nothing of it.
   * @default `'rejected'`
   */
  readonly bodiesWithoutLength?: BodiesWithoutLength
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
   * The bytes of the requests that `requests` of the emulator keeps, heads and bodies, refused ones or
   * not. Beyond it the oldest bodies are dropped first, then the oldest requests.
   * @default `67_108_864`
   */
  readonly maxRecordedBytes?: number
  /**
   * The bytes of all requests whose response has not gone out: heads, several times their size for
   * what a rejection quotes of them, and bodies, unfinished ones included. A request beyond it gets
   * a 503, unless it is the only one.
   * @default `536_870_912`
   */
  readonly maxPendingBytes?: number
  /**
   * The clock of the service, in epoch milliseconds.
   * @default `Date.now`
   */
  readonly clock?: () => number
  /**
   * Called once for each request, when its response is ready or its connection was dropped. What it
   * throws is ignored.
   * @default none
   */
  readonly onRequest?: (request: RecordedRequest) => void
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
  const checks = checksOf('createEmulator')
  checks.object(options, 'options')
  const {
    users = defaultUsers,
    apiKeys = defaultApiKeys,
    region = 'us-east-1',
    vendorPrefix = 'svc',
    tokenLifetimeSeconds = 86_400,
    uniqueSessionEndsOthers = true,
    repeatedParameters = 'by-value',
    plusInPath = 'plus',
    bodiesWithoutLength = 'rejected',
    maxBodyBytes = 256 * 1024 * 1024,
    maxRecordedRequests = 100_000,
    maxRecordedBytes = 64 * 1024 * 1024,
    maxPendingBytes = 512 * 1024 * 1024,
    clock = Date.now,
    onRequest = () => undefined,
  } = options
  checkUsers(users, checks)
  checkApiKeys(apiKeys, checks)
  checkRegion(region, checks)
  checks.that(
    typeof vendorPrefix === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(vendorPrefix),
    'vendorPrefix',
    'must consist of letters and digits, separated by "-"',
  )
  const counts = {
    tokenLifetimeSeconds,
    maxBodyBytes,
    maxRecordedRequests,
    maxRecordedBytes,
    maxPendingBytes,
  }
  for (const [option, value] of Object.entries(counts)) checks.count(value, option)
  checks.that(
    typeof uniqueSessionEndsOthers === 'boolean',
    'uniqueSessionEndsOthers',
    'must be true or false',
  )
  checkReading({ repeatedParameters, plusInPath, bodiesWithoutLength }, checks)
  checks.that(typeof onRequest === 'function', 'onRequest', 'must be a function')
  const settings: EmulatorSettings = {
    users,
    apiKeys,
    region,
    vendorPrefix: vendorPrefix.toLowerCase(),
    uniqueSessionEndsOthers,
    repeatedParameters,
    plusInPath,
    bodiesWithoutLength,
    ...counts,
    clock: checkedClock(clock, checks),
    onRequest,
  }
  checks.names(options, 'options', settings, '; port and host are options of listen')
  return settings
}

function checkUsers(users: readonly EmulatorUser[], checks: Checks): void {
  checks.array(users, 'users')
  const identities = new Set<string>()
  for (const [index, user] of users.entries()) {
    const option = `users[${index}]`
    checks.data(user, option, { username: 1, password: 1, parentUid: 1, uid: 1, groups: 1 })
    checks.text(user.username, `${option}.username`)
    checks.text(user.password, `${option}.password`)
    if (user.parentUid !== undefined) checks.text(user.parentUid, `${option}.parentUid`)
    if (user.uid !== undefined) checks.text(user.uid, `${option}.uid`)
    checks.that(
      user.parentUid === undefined || user.uid === undefined,
      `${option}.uid`,
      'is only for primary users, but this user has a parentUid',
    )
    checkGroups(user.groups, `${option}.groups`, checks)
    const identity = userIdentity(user)
    checks.that(!identities.has(identity), option, `is a duplicate of "${user.username}"`)
    identities.add(identity)
  }
}

function checkGroups(groups: EmulatorUser['groups'], option: string, checks: Checks): void {
  if (groups === undefined) return
  checks.array(groups, option)
  for (const [index, group] of groups.entries()) {
    const ofGroup = `${option}[${index}]`
    checks.data(group, ofGroup, { id: 1, name: 1, permissions: 1 })
    checks.text(group.id, `${ofGroup}.id`)
    checks.text(group.name, `${ofGroup}.name`)
    checks.array(group.permissions, `${ofGroup}.permissions`)
    for (const [place, permission] of group.permissions.entries()) {
      const ofPermission = `${ofGroup}.permissions[${place}]`
      checks.data(permission, ofPermission, { Actions: 1, Condition: 1 })
      const { Actions } = permission
      checks.that(
        Array.isArray(Actions) && Actions.every((action) => typeof action === 'string'),
        `${ofPermission}.Actions`,
        'must be an array of strings',
      )
    }
  }
}

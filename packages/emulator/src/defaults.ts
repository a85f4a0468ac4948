import type { EmulatorApiKey } from './sigv4/api-key.ts'
import type { EmulatorUser } from './user.ts'

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

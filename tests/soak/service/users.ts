import type { EmulatorUser } from '@svc/emulator'
import type { ObjectGroup } from '@svc/types'
import type { AccountName } from '../plan/operation.ts'

/** A user for each account: a primary one, and two of its subaccounts. Nothing in them is secret. */
export const users: Readonly<Record<AccountName, EmulatorUser>> = {
  memory: {
    username: 'memory@example.com',
    password: 'not-a-secret-memory',
    uid: 'tenant-0001',
    groups: groupsOf('memory'),
  },
  file: {
    username: 'file@example.com',
    password: 'not-a-secret-file',
    parentUid: 'tenant-0001',
    groups: groupsOf('file'),
  },
  redis: {
    username: 'redis@example.com',
    password: 'not-a-secret-redis',
    parentUid: 'tenant-0001',
    groups: groupsOf('redis'),
  },
}

function groupsOf(account: AccountName): ObjectGroup[] {
  return [{ id: `group-${account}`, name: account, permissions: [] }]
}

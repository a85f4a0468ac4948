import { authFetch, createServiceAuth } from '@svc/service-auth'
import type { Addresses } from '../addresses.ts'
import { apiKey, credentials } from '../credentials.ts'
import { show } from '../../support/chromium/show.ts'

/** The result of a page that was bundled from what is built. */
export interface PageResult {
  /** The status of a request with a token, and of one with a signature. */
  readonly statuses: readonly number[]
  /** The number of names that each of the entries exports. */
  readonly exported: readonly number[]
}

/** Sends a request of each kind and shows what came of it. */
export async function openPage(
  { service: baseUrl }: Addresses,
  imported: readonly object[],
): Promise<void> {
  const send = authFetch(
    createServiceAuth({ baseUrl, region: 'us-east-1', user: credentials, apiKey }),
  )
  const groups = await send(new URL('/user/groups', baseUrl))
  const stored = await send(new URL('/V1/a+b', baseUrl), { method: 'PUT', body: 'bundled' })
  const result: PageResult = {
    statuses: [groups.status, stored.status],
    exported: imported.map((entry) => Object.keys(entry).length),
  }
  show(result)
}

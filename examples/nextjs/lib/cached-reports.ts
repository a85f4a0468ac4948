// The list of the reports, read once a minute for all visitors.
import { authFetch } from '@svc/service-auth'
import { cacheLife } from 'next/cache'
import { connection } from 'next/server'
import { assertOk, createAuth, setting } from './service'

export async function listCachedReports(): Promise<string> {
  // Here, since a function with 'use cache' may not.
  await connection()
  return readReports()
}

async function readReports(): Promise<string> {
  'use cache'
  cacheLife('minutes')
  const serviceFetch = authFetch(createAuth(), { baseUrl: setting('SERVICE_URL') })
  const response = await assertOk(await serviceFetch('/V1/?list-type=2&prefix=reports/'))
  return response.text()
}

import { authFetch, createServiceAuth } from '@svc/service-auth'
import { readAccount } from '../../../../account.js'

// #region sveltekit
export async function load() {
  const account = readAccount()
  const serviceFetch = authFetch(createServiceAuth(account), { baseUrl: account.baseUrl })
  const groups = await (await serviceFetch('/user/groups')).json()
  const report = await (await serviceFetch('/V1/report.csv')).text()
  return { text: `${groups.length} groups, report ${report}` }
}
// #endregion

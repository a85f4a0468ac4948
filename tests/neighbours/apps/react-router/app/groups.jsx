import { authFetch, createServiceAuth } from '@svc/service-auth'
import { readAccount } from '../../account.js'

// #region react-router
export async function loader() {
  const account = readAccount()
  const serviceFetch = authFetch(createServiceAuth(account), { baseUrl: account.baseUrl })
  const groups = await (await serviceFetch('/user/groups')).json()
  const report = await (await serviceFetch('/V1/report.csv')).text()
  return `${groups.length} groups, report ${report}`
}

export default function Groups({ loaderData }) {
  return <p>{loaderData}</p>
}
// #endregion

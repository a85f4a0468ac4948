import { createServer } from 'node:http'
import { authFetch, createServiceAuth } from '@svc/service-auth'
import { readAccount } from '../account.js'

// #region vite
async function showGroups() {
  const account = readAccount()
  const serviceFetch = authFetch(createServiceAuth(account), { baseUrl: account.baseUrl })
  const groups = await (await serviceFetch('/user/groups')).json()
  const report = await (await serviceFetch('/V1/report.csv')).text()
  return `${groups.length} groups, report ${report}`
}
// #endregion

const server = createServer(async (incoming, outgoing) => {
  try {
    outgoing.end(incoming.url === '/groups' ? await showGroups() : '')
  } catch {
    outgoing.writeHead(500).end()
  }
})
server.listen(Number(process.env.PORT), '127.0.0.1')

import { createServer } from 'node:http'
import { authFetch, createServiceAuth } from '@svc/service-auth'
import { readAccount } from '../account.js'

// #region vite
const server = createServer(async (incoming, outgoing) => {
  if (incoming.url !== '/groups') {
    outgoing.writeHead(404).end()
    return
  }
  const account = readAccount()
  const serviceFetch = authFetch(createServiceAuth(account), { baseUrl: account.baseUrl })
  const groups = await (await serviceFetch('/user/groups')).json()
  const report = await (await serviceFetch('/V1/report.csv')).text()
  outgoing.end(`${groups.length} groups, report ${report}`)
})
// #endregion
server.listen(Number(process.env.PORT), '127.0.0.1')

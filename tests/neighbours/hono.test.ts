import { authFetch } from '@svc/auth-hooks'
import { Hono } from 'hono'
import { hc } from 'hono/client'
import { testProtocol } from '../works-with/contract.ts'

const app = new Hono().get('/groups', (context) => context.json(['Everything', 'Reports']))

testProtocol({
  respond: (request) => app.fetch(request),
  connect(baseUrl, auth) {
    // #region hono
    const client = hc<typeof app>(baseUrl, { fetch: authFetch(auth) })
    // #endregion
    return async (signal) => {
      const response = await client.groups.$get({}, { ...(signal && { init: { signal } }) })
      return response.json()
    }
  },
  expected: ['Everything', 'Reports'],
})

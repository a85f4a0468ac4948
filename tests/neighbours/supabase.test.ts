import { createClient } from '@supabase/supabase-js'
import { authFetch } from '@svc/auth-hooks'
import { testProtocol } from '../works-with/contract.ts'

testProtocol({
  respond: () => Response.json([{ id: 'group-0001' }]),
  connect(baseUrl, auth) {
    // #region supabase
    const client = createClient(baseUrl, 'unused', { global: { fetch: authFetch(auth) } })
    // #endregion
    return async (signal) => {
      const query = client.from('groups').select('id').throwOnError()
      return (await (signal ? query.abortSignal(signal) : query)).data
    }
  },
  expected: [{ id: 'group-0001' }],
})

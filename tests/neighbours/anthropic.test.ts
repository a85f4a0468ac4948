import Anthropic from '@anthropic-ai/sdk'
import { authFetch } from '@svc/auth-hooks'
import { testProtocol } from '../works-with/contract.ts'

testProtocol({
  respond: () => Response.json({ data: [{ id: 'own-model', type: 'model' }], has_more: false }),
  connect(baseUrl, auth) {
    // #region anthropic
    const client = new Anthropic({ baseURL: baseUrl, apiKey: 'unused', fetch: authFetch(auth) })
    // #endregion
    return async (signal) =>
      (await client.models.list({}, { ...(signal && { signal }) })).data[0]?.id
  },
  expected: 'own-model',
  // Its `APIConnectionError` has what the fetch threw as its cause.
  causeOf: (error) => error instanceof Error && error.cause,
})

import { authFetch } from '@svc/auth-hooks'
import OpenAI from 'openai'
import { testProtocol } from '../works-with/contract.ts'

testProtocol({
  respond: () => Response.json({ object: 'list', data: [{ id: 'own-model', object: 'model' }] }),
  connect(baseUrl, auth) {
    // #region openai
    const client = new OpenAI({
      baseURL: `${baseUrl}/v1`,
      apiKey: 'unused',
      fetch: authFetch(auth),
    })
    // #endregion
    return async (signal) => (await client.models.list({ ...(signal && { signal }) })).data[0]?.id
  },
  expected: 'own-model',
  // Its `APIConnectionError` has what the fetch threw as its cause.
  causeOf: (error) => error instanceof Error && error.cause,
})

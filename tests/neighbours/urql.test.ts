import { authFetch } from '@svc/auth-hooks'
import { Client, fetchExchange } from '@urql/core'
import { testProtocol } from '../works-with/contract.ts'
import { groups, groupsQuery, respondToGraphQL } from '../works-with/graphql-server.ts'

testProtocol({
  respond: respondToGraphQL,
  connect(baseUrl, auth) {
    // #region urql
    const client = new Client({
      url: `${baseUrl}/graphql`,
      exchanges: [fetchExchange],
      fetch: authFetch(auth),
    })
    // #endregion
    return (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const subscription = client.query(groupsQuery, {}).subscribe(({ data, error }) => {
        if (error) reject(error)
        else resolve(data)
      })
      // It replaces a signal in `fetchOptions` by its own, which aborts when nobody listens.
      signal?.addEventListener('abort', () => reject(signal.reason))
      return promise.finally(() => subscription.unsubscribe())
    }
  },
  expected: { groups },
  // A `CombinedError` has what the fetch threw as its network error.
  causeOf: (error) => error instanceof Error && 'networkError' in error && error.networkError,
})

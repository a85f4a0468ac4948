import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { authFetch } from '@svc/auth-hooks'
import { testProtocol } from '../works-with/contract.ts'
import { groups, groupsQuery, respondToGraphQL } from '../works-with/graphql-server.ts'

testProtocol({
  respond: respondToGraphQL,
  connect(baseUrl, auth) {
    // #region apollo
    const link = new HttpLink({ uri: `${baseUrl}/graphql`, fetch: authFetch(auth) })
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    // #endregion
    return async (signal) => {
      const { data } = await client.query({
        query: gql(groupsQuery),
        fetchPolicy: 'network-only',
        context: { queryDeduplication: false, ...(signal && { fetchOptions: { signal } }) },
      })
      return data
    }
  },
  expected: { groups },
})

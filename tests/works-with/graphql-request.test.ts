import { authFetch } from '@svc/auth-hooks'
import { GraphQLClient } from 'graphql-request'
import { testProtocol } from './contract.ts'
import { groups, groupsQuery, respondToGraphQL } from './graphql-server.ts'

testProtocol({
  respond: respondToGraphQL,
  connect(baseUrl, auth) {
    // #region graphql-request
    const client = new GraphQLClient(`${baseUrl}/graphql`, { fetch: authFetch(auth) })
    // #endregion
    return (signal) => client.request({ document: groupsQuery, ...(signal && { signal }) })
  },
  expected: { groups },
})

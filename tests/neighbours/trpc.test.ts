import { authFetch } from '@svc/auth-hooks'
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { initTRPC } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { testProtocol } from '../works-with/contract.ts'

const { router: createRouter, procedure } = initTRPC.create()
const router = createRouter({ groups: procedure.query(() => ['Everything', 'Reports']) })

testProtocol({
  respond: (request) =>
    fetchRequestHandler({ endpoint: '/trpc', req: request, router, createContext: () => ({}) }),
  connect(baseUrl, auth) {
    // #region trpc
    const link = httpBatchLink({ url: `${baseUrl}/trpc`, fetch: authFetch(auth) })
    const client = createTRPCClient<typeof router>({ links: [link] })
    // #endregion
    return (signal) => client.groups.query(undefined, { ...(signal && { signal }) })
  },
  expected: ['Everything', 'Reports'],
  // Its `TRPCClientError` has what the fetch threw as its cause.
  causeOf: (error) => error instanceof Error && error.cause,
})

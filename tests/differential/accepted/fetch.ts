import { type AcceptedDifference, as } from './row.ts'

/** The clients on `fetch`. */
export const ofFetch: readonly AcceptedDifference[] = [
  {
    clients: /^(?:authFetch|authKy|kyAuthHooks|authOpenApi)|over fetch$/,
    when: ({ framing }) => framing === 'chunked' || framing === 'both',
    what: as((one) => ({ ...one, framing: 'none' })),
    page: {
      client: 'fetch, ky, openapi-fetch, axios over `fetch`',
      situation: '`transfer-encoding: chunked` among the headers',
      bare: "rejects, cause: 'invalid transfer-encoding header'",
      ours: 'sends the request without that header',
      reason: '`fetch` frames a body itself; a library that sets the header for Node works with both',
    },
  },
  {
    clients: /^kyAuthHooks/,
    when: ({ redirect, mode }) => redirect !== 0 && mode !== 'manual',
    what: as((one) => ({ ...one, mode: 'manual' })),
    page: {
      client: 'ky with `kyAuthHooks`',
      situation: 'any redirect',
      bare: 'follows it',
      ours: 'an `HTTPError` with the redirect, as with `redirect: \'manual\'`',
      reason: 'a hook cannot authorize the request to the target: `authKy` does',
    },
  },
]


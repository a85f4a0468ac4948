import { becomesGet, isStream } from '../case.ts'
import { type AcceptedDifference, as, someAspects } from './row.ts'

const requests = /^(?:authKy|kyAuthHooks|authOpenApi)|with a Request$/

/** The clients on `fetch`. */
export const ofFetch: readonly AcceptedDifference[] = [
  {
    clients: /^(?:authFetch|authKy|kyAuthHooks|authOpenApi)/,
    when: ({ framing }) => framing === 'chunked' || framing === 'both',
    what: as((one) => ({ ...one, framing: one.framing === 'both' ? 'right length' : 'none' })),
    page: {
      client: 'fetch, ky, openapi-fetch',
      situation: '`transfer-encoding: chunked` among the headers',
      bare: "rejects, cause: 'invalid transfer-encoding header'",
      ours: 'sends the request without that header',
      reason:
        '`fetch` frames a body itself; a library that sets the header for Node works with both',
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
      ours: "an `HTTPError` with the redirect, as with `redirect: 'manual'`",
      reason: 'a hook cannot authorize the request to the target: `authKy` does',
    },
  },
  {
    clients: requests,
    when: isStream,
    what: as((one) => ({ ...one, body: 'bytes', framing: 'none' })),
    page: {
      client: 'ky, openapi-fetch, `fetch` with a `Request`',
      situation: 'a stream of up to `maxReplayBytes`',
      bare: 'sends it in chunks',
      ours: 'reads it to its end, and sends it with a `content-length`, and again where a redirect needs that',
      reason:
        'a scheme can then sign it, and send it again; with `maxReplayBytes: 0` it is sent as a stream',
    },
  },
  {
    clients: /^authFetch, fetch$|^authAxios.* over fetch$/,
    when: (one) =>
      isStream(one) && becomesGet(one) && one.redirect !== 303 && one.mode === 'follow',
    what: as((one) => ({ ...one, redirect: 303 })),
    page: {
      client: 'fetch, axios over `fetch`',
      situation: 'a POST with a stream, redirected by 301 or 302',
      bare: 'fails',
      ours: 'follows with a GET, which needs no body',
      reason: 'the stream has been sent, and is not needed again',
    },
  },
  {
    clients: /^(?:authFetch|authKy|authOpenApi)|over fetch$/,
    when: (one) => one.body === 'FormData' && one.redirect !== 0 && !becomesGet(one),
    what: someAspects(/^request 2 body$/, /^--BOUNDARY\r\n/),
    page: {
      client: 'fetch, ky, openapi-fetch, axios over `fetch`',
      situation: 'a redirect that takes a form along',
      bare: 'sends it with another boundary than its `content-type` names',
      ours: 'sends the same bytes again',
      reason: 'no server can read the other',
    },
  },
]

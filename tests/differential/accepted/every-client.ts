import { becomesGet, type Case, isStream } from '../case.ts'
import { type AcceptedDifference, typedError } from './row.ts'

const client = 'every client'
const everyone = /^/
// With hooks alone, ky follows no redirect.
const followers = /^auth(?!Interceptor)/

/** What the kernel does, and so every adapter. */
export const ofEveryClient: readonly AcceptedDifference[] = [
  {
    clients: followers,
    when: (one) => follows(one) && one.target === 'uncovered',
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client,
      situation: 'a redirect to an origin that the scheme does not cover',
      bare: 'follows it with all headers, or without some',
      ours: '`ERR_AUTH_REDIRECT`; nothing is sent there',
      reason: 'the credential, and with a body the data, would reach another origin',
    },
  },
  {
    clients: followers,
    when: (one) => follows(one) && one.target === 'allowed' && !isReading(one),
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client,
      situation:
        "the same with the option `redirect: 'follow'`, and a method other than GET or HEAD",
      bare: 'follows it',
      ours: '`ERR_AUTH_REDIRECT`',
      reason: 'a request that changes something goes only where the scheme covers it',
    },
  },
  {
    clients: everyone,
    when: (one) => one.redirect !== 0 && one.mode === 'error',
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client,
      situation: "a redirect with `redirect: 'error'`",
      bare: "`TypeError` (ky 2: `NetworkError`), cause: 'unexpected redirect'",
      ours: '`ERR_AUTH_REDIRECT`, which names both origins',
      reason: 'the reason is known, so the error says it',
    },
  },
  {
    clients: everyone,
    when: (one) => follows(one) && isStream(one) && !becomesGet(one),
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client,
      situation: 'a redirect that takes the body along, where that is a stream',
      bare: 'fails with an error of its own, or buffers every stream to send it again',
      ours: '`ERR_AUTH_REDIRECT`',
      reason: 'a stream cannot be sent again, and is not kept in memory for that',
    },
  },
  {
    clients: everyone,
    when: ({ framing, body }) =>
      framing === 'too long' || (framing === 'too short' && body !== 'none'),
    what: typedError('ERR_AUTH_BODY', /^(?:\/start)?$/),
    page: {
      client,
      situation:
        'a `content-length` that is not the length of the body; with axios and got: of a stream',
      bare: 'an error of its own, a call that waits for the server to give up, or a surplus that the server takes for the next request',
      ours: '`ERR_AUTH_BODY`; of a body in memory nothing is sent',
      reason: 'what follows the announced length is the next request on its connection',
    },
  },
]

function follows({ redirect, mode }: Case): boolean {
  return redirect !== 0 && mode === 'follow'
}

/** Tells if the request after a redirect has a method that changes nothing. */
function isReading(one: Case): boolean {
  return one.method === 'GET' || one.method === 'HEAD' || becomesGet(one)
}

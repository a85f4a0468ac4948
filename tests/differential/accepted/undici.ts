import { isStream } from '../case.ts'
import { type AcceptedDifference, typedError } from './row.ts'

/** undici. */
export const ofUndici: readonly AcceptedDifference[] = [
  {
    clients: /^authInterceptor/,
    when: ({ redirect, target, mode }) =>
      redirect !== 0 && target === 'uncovered' && mode === 'follow',
    what: typedError('ERR_AUTH_ORIGIN', /^\/start$/),
    page: {
      client: 'undici',
      situation: 'a redirect to an origin that the scheme does not cover',
      bare: 'follows it',
      ours: '`ERR_AUTH_ORIGIN` (`fetch`: as the cause of its `TypeError`); nothing is sent there',
      reason: 'the interceptor sees each request alone, and none that belongs to a redirect',
    },
  },
  {
    clients: /^authInterceptor.* request$/,
    when: (one) => isStream(one) && one.redirect !== 0 && one.mode === 'follow',
    what: typedError('ERR_AUTH_BODY', /^\/start$/),
    page: {
      client: 'undici `request`',
      situation: 'a redirect that takes a generator or a web stream along',
      bare: 'sends an empty body to its target; with a `content-length`, begins that request and breaks it off',
      ours: '`ERR_AUTH_BODY`; no second request begins',
      reason: 'what was read is at its end',
    },
  },
]

import { becomesGet, type Case, isEarly, isStream } from '../case.ts'
import { type AcceptedDifference, as, someAspects, typedError } from './row.ts'

/** got. */
export const ofGot: readonly AcceptedDifference[] = [
  {
    clients: /^authGot, got 1[56]$/,
    when: ({ body }) => body === 'FormData',
    what: someAspects(/^request \d framing$/, /^content-length/),
    page: {
      client: 'got 15, got 16',
      situation: 'a form',
      bare: 'sends it in chunks',
      ours: 'sends it with a `content-length`',
      reason: 'a form is read before it is sent, so that it can be signed and sent again',
    },
  },
  {
    clients: /^authGot, got 1[56]$/,
    when: (one) => one.body === 'FormData' && seldomHasBody(one),
    what: as((one) => ({ ...one, framing: 'chunked' })),
    page: {
      client: 'got 15, got 16',
      situation: 'GET, HEAD, DELETE or OPTIONS with a form',
      bare: 'sends the form without framing: **its bytes are the next request on the connection**',
      ours: 'sends it with a `content-length`',
      reason: 'the response to the smuggled request would be handed to the next caller',
    },
  },
  {
    clients: /^authGot, got 1[56]$/,
    when: ({ body, redirect, mode }) => body === 'FormData' && redirect !== 0 && mode === 'follow',
    what: someAspects(/^request 2 (?:body|framing)$/, /^--BOUNDARY\r\n|^content-length/),
    page: {
      client: 'got 15, got 16',
      situation: 'a redirect that takes a form along',
      bare: 'sends an empty body',
      ours: 'sends the form again',
      reason: 'the server expects a form',
    },
  },
  {
    clients: /^authGot, got 14$/,
    when: ({ body }) => body === 'FormData',
    what: someAspects(/^request \d body$/, /--BOUNDARY--\r\n$/),
    page: {
      client: 'got 14',
      situation: 'a form',
      bare: 'ends it with an empty line more',
      ours: 'ends it as newer versions do',
      reason: 'the line is no part of a form (RFC 2046, section 5.1.1)',
    },
  },
  {
    clients: /^authGot, got 14$/,
    when: ({ body, redirect, mode }) => body === 'FormData' && redirect !== 0 && mode === 'follow',
    what: typedError('ERR_STREAM_WRITE_AFTER_END', /^\/start$/),
    page: {
      client: 'got 14',
      situation: 'a redirect that takes a form along',
      bare: 'never settles',
      ours: 'an error with the code `ERR_STREAM_WRITE_AFTER_END`',
      reason: 'got 14 cannot send a form again; newer versions can',
    },
  },
  {
    clients: /^authGot/,
    when: (one) => isStream(one) && keepsBody(one),
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client: 'got',
      situation: 'a POST with a stream, redirected by 301 or 302',
      bare: 'fails, or never settles: got sends a POST on as a POST',
      ours: '`ERR_AUTH_REDIRECT`',
      reason: 'a stream cannot be sent again',
    },
  },
  {
    clients: /^authGot/,
    when: (one) => one.target === 'allowed' && keepsBody(one) && one.method === 'POST',
    what: typedError('ERR_AUTH_REDIRECT', /^\/start$/),
    page: {
      client: 'got',
      situation:
        "a POST redirected by 301 or 302 to an origin that is not covered, with `redirect: 'follow'`",
      bare: 'sends a POST there',
      ours: '`ERR_AUTH_REDIRECT`',
      reason: 'only GET and HEAD leave the origins that the scheme covers',
    },
  },
  {
    clients: /^authGot, got 1[56]$/,
    when: ({ body, pace }) => body === '500 KB' && pace === 'around the body',
    what: someAspects(
      /^(?:error|status$|response|probe$|requests executed$|request \d (?:body|framing)$)/,
      /^(?!.*(?:ECONNRESET|incomplete|unfinished))/s,
    ),
    page: {
      client: 'got 15, got 16',
      situation: 'more than 64 KB, to a server whose response begins before it has read them',
      bare: 'mostly `ECONNRESET`, in the middle of the upload or though the server has executed the request',
      ours: 'the response',
      reason: 'got would send a PUT again that was executed',
    },
  },
  {
    clients: /^authGot, got 1[56]$/,
    when: ({ body, pace }) => body === '500 KB' && pace === 'cut in the body',
    what: someAspects(/^error/, /ECONNRESET|socket hang up/),
    isRace: true,
    page: {
      client: 'got 15, got 16',
      situation: 'more than 64 KB, and a response that breaks off while got still writes them',
      bare: 'a `ReadError` that tells of the length of the response',
      ours: 'now and then a `ReadError` with the code `ECONNRESET`, with the same response',
      reason: 'the response is given to got once it has written its last piece',
    },
  },
  {
    clients: /^authGot, got 14$/,
    when: (one) => isStream(one) && becomesGet(one) && isEarly(one),
    what: someAspects(/^(?:stray|requests begun)$/, /^(?:\/start \/landed)?$/),
    isRace: true,
    page: {
      client: 'got 14',
      situation: 'a stream that is redirected as a GET before it was read',
      bare: 'now and then writes the rest after the GET: **its bytes are the next request on the connection**',
      ours: 'the GET has no body',
      reason: 'the response to the smuggled request would be handed to the next caller',
    },
  },
]

function seldomHasBody({ method }: Case): boolean {
  return ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method)
}

/** It keeps the method, too, unless `methodRewriting` or a 303 says otherwise. */
function keepsBody({ redirect, mode }: Case): boolean {
  return mode === 'follow' && redirect !== 0 && redirect !== 303
}

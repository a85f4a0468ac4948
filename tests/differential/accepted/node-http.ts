import { becomesGet, isStream, isUnframedByNode } from '../case.ts'
import { type AcceptedDifference, as, someAspects, typedError } from './row.ts'

const client = 'axios, got'
const clients = /^auth(?:Axios|Got)/
const overNode = /^authGot|^authAxios.* over http$/

/** The clients on `node:http`, and axios over `fetch` where it has the same code of ours. */
export const ofNodeHttp: readonly AcceptedDifference[] = [
  {
    clients,
    when: () => true,
    what: someAspects(/header names$/, /^[\w -]*$/),
    page: {
      client,
      situation: 'any request',
      bare: 'writes `Content-Type` and `Content-Length`',
      ours: 'writes some names in lower case',
      reason: 'names of headers have no case (RFC 9110, section 5.1)',
    },
  },
  {
    clients,
    when: (one) => one.framing !== 'none' && !isStream(one),
    what: as((one) => ({ ...one, framing: 'none' })),
    page: {
      client,
      situation: 'a wrong `content-length`, or a `transfer-encoding`, for a body that is in memory',
      bare: 'sends what the caller said: the surplus is the next request, or the server waits in vain',
      ours: 'sends the length of the body',
      reason: 'the length is known',
    },
  },
  {
    clients,
    when: (one) => isStream(one) && one.framing === 'both',
    what: typedError('ERR_AUTH_BODY', /^$/),
    page: {
      client,
      situation: 'a stream with both a `content-length` and a `transfer-encoding`',
      bare: 'sends both',
      ours: '`ERR_AUTH_BODY`; nothing is sent',
      reason: 'a proxy and a server that believe different ones see different requests',
    },
  },
  {
    clients: overNode,
    when: isUnframedByNode,
    what: as((one) => ({ ...one, framing: 'chunked' })),
    page: {
      client: 'axios over `http`, got',
      situation: 'GET, HEAD, DELETE or OPTIONS with a stream of unknown length',
      bare: 'sends the stream without framing: **its bytes are the next request on the connection**',
      ours: 'sends it with `transfer-encoding: chunked`',
      reason: 'the response to the smuggled request would be handed to the next caller',
    },
  },
  {
    clients: overNode,
    when: (one) => isStream(one) && becomesGet(one),
    what: someAspects(/^request 2 (?:framing|header)/, /^(?:none|(?!.*transfer-encoding).*)$/s),
    page: {
      client: 'axios over `http`, got',
      situation: 'a stream with `transfer-encoding: chunked`, redirected as a GET',
      bare: 'the GET has an empty body in chunks',
      ours: 'the GET has no body',
      reason: 'the header belongs to the body',
    },
  },
  {
    clients: overNode,
    when: ({ body }) => body === 'empty text',
    what: someAspects(/^request \d framing$/, /^content-length, content-length: 0$/),
    page: {
      client: 'axios over `http`, got',
      situation: 'an empty text as the body of GET, HEAD, DELETE or OPTIONS',
      bare: 'sends no `content-length`',
      ours: 'sends `content-length: 0`',
      reason: 'both mean the same',
    },
  },
]

import { isStream } from '../case.ts'
import { type AcceptedDifference, as, someAspects, typedError } from './row.ts'

const overHttp = /^authAxios.* over http$/
const overFetch = /^authAxios.* over fetch$/
const http = 'axios over `http`'
const fetch = 'axios over `fetch`'

/** axios. */
export const ofAxios: readonly AcceptedDifference[] = [
  {
    clients: overHttp,
    when: ({ body }) => body === 'web stream',
    what: as((one) => ({ ...one, body: 'Node stream' })),
    page: {
      client: http,
      situation: 'a web stream',
      bare: "rejects: 'Data after transformation must be a string, an ArrayBuffer, a Buffer, or a Stream'",
      ours: 'sends it as a stream of Node',
      reason: 'one body works with both adapters of axios',
    },
  },
  {
    clients: overHttp,
    when: ({ limit }) => limit === 'request body',
    what: someAspects(/^error cause$/, /^$/),
    page: {
      client: http,
      situation: 'a body larger than `maxBodyLength`',
      bare: 'the error has itself once more as its `cause`',
      ours: 'the same error without a `cause`',
      reason: 'it says nothing more',
    },
  },
  {
    clients: overHttp,
    when: (one) => one.limit === 'request body' && isStream(one),
    what: someAspects(/^requests? /, /^(?:\(none\))?$/),
    isRace: true,
    page: {
      client: http,
      situation: 'a stream larger than `maxBodyLength`',
      bare: 'has sent the head before it reads so much of the stream',
      ours: 'the head, or nothing, if the connection takes longer than the reading',
      reason: 'the call fails either way',
    },
  },
  {
    clients: /axios 1\.7/,
    when: ({ redirect, status }) => redirect !== 0 || status >= 400,
    what: someAspects(/^error code$/, /^ERR_BAD_RESPONSE$/),
    page: {
      client: 'axios 1.7',
      situation: 'a redirect that is not followed',
      bare: 'an `AxiosError` without a `code`',
      ours: 'an `AxiosError` with the code `ERR_BAD_RESPONSE`, as in newer versions',
      reason: 'what a program tests should be there',
    },
  },
  {
    clients: /axios 1\.7 over http$/,
    when: ({ body }) => body === 'FormData',
    what: someAspects(/^request \d body$/, /--BOUNDARY--\r\n$/),
    page: {
      client: 'axios 1.7 over `http`',
      situation: 'a form',
      bare: 'ends it with an empty line more',
      ours: 'ends it as newer versions do',
      reason: 'the line is no part of a form (RFC 2046, section 5.1.1)',
    },
  },
  {
    clients: /axios 1\.7 over fetch$/,
    when: () => true,
    what: someAspects(/^error cause$/, /^$/),
    page: {
      client: 'axios 1.7 over `fetch`',
      situation: 'a status that `validateStatus` rejects',
      bare: 'the error has itself once more as its `cause`',
      ours: 'the same error without a `cause`',
      reason: 'it says nothing more',
    },
  },
  {
    clients: overFetch,
    when: ({ body }) => body === 'FormData',
    what: someAspects(
      /^request \d (?:headers|framing|body)$/,
      /boundary=BOUNDARY|content-length|--BOUNDARY/,
    ),
    page: {
      client: fetch,
      situation: 'a form',
      bare: 'announces `application/x-www-form-urlencoded`, or a form without its boundary',
      ours: 'announces `multipart/form-data` with its boundary',
      reason: 'no server can read the other',
    },
  },
  {
    clients: overFetch,
    when: (one) => isStream(one) && one.framing === 'chunked',
    what: as((one) => ({ ...one, framing: 'none' })),
    page: {
      client: fetch,
      situation: '`transfer-encoding: chunked` among the headers, and a stream',
      bare: "rejects, cause: 'invalid transfer-encoding header'",
      ours: 'sends the stream in chunks',
      reason: 'that is what the header asks for',
    },
  },
  {
    clients: /axios 1\.7/,
    when: ({ limit }) => limit === 'request body',
    what: typedError('maxBodyLength limit', /^(?:\/start)?$/),
    page: {
      client: 'axios 1.7',
      situation: 'a body larger than `maxBodyLength`',
      bare: 'ignores the limit over `fetch` and with `maxRedirects: 0`; else an `Error` with the code `ERR_FR_MAX_BODY_LENGTH_EXCEEDED` for a stream',
      ours: 'an `AxiosError` with the code `ERR_BAD_REQUEST`, as in newer versions',
      reason: 'a limit that is set is meant',
    },
  },
]

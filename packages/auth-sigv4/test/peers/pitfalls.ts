import type { clients, UserRequest } from './naive-clients.ts'

/**
 * The end of a request: accepted as it was meant, refused, never sent since signing threw, or
 * accepted though it is not what was meant.
 */
export type Outcome = 'accepted' | 'refused' | 'throws' | 'altered'

/** A row of the table in the README. */
export interface Pitfall {
  readonly what: string
  readonly request: UserRequest
  readonly outcomes: Readonly<Record<keyof typeof clients, Outcome>>
  readonly why: string
}

const many = Array.from({ length: 1100 }, (_, index) => `k${index}=v`).join('&')
const form = new FormData()
form.append('text', 'ü')

function row(
  what: string,
  request: UserRequest,
  [aws4, aws4fetch, smithy]: readonly [Outcome, Outcome, Outcome],
  why: string,
): Pitfall {
  return { what, request, outcomes: { ours: 'accepted', aws4, aws4fetch, smithy }, why }
}

export const pitfalls: readonly Pitfall[] = [
  row(
    '`+` in a path',
    { target: '/V1/a+b' },
    ['refused', 'refused', 'refused'],
    'the documents say `%2B`; smithy signs `+`, aws4 and aws4fetch a space (as S3 reads it, by public reports)',
  ),
  row(
    "`'()*!` in a path",
    { target: "/V1/it's(1)*!" },
    ['accepted', 'accepted', 'refused'],
    'smithy signs the path as is, the documents encode it strictly first',
  ),
  row(
    '`$&=,;@:` in a path',
    { target: '/V1/a$b&c=d,e;f@g:h' },
    ['accepted', 'accepted', 'refused'],
    'the same',
  ),
  row(
    '`[]{}^` and a vertical bar in a path',
    { target: '/V1/a[1]{2}|b^c' },
    ['accepted', 'accepted', 'refused'],
    'the same',
  ),
  row(
    '`%2F` in a path',
    { target: '/V1/a%2Fb' },
    ['accepted', 'accepted', 'refused'],
    'smithy signs `%2F`, the documents a slash',
  ),
  row(
    'lowercase escapes',
    { target: '/V1/%e4%bd%a0' },
    ['accepted', 'accepted', 'refused'],
    'smithy signs `%e4`, the documents `%E4`',
  ),
  row(
    'escapes of unreserved characters',
    { target: '/V1/%61%7E' },
    ['accepted', 'accepted', 'refused'],
    'smithy signs `%61`, the documents `a`',
  ),
  row(
    '`%` that is not an escape',
    { target: '/V1/100%' },
    ['throws', 'refused', 'refused'],
    'aws4: `URI malformed`; aws4fetch and smithy send the bare `%`, the documents: `InvalidURI`',
  ),
  row(
    'bytes in a path that are not UTF-8',
    { target: '/V1/%FF' },
    ['throws', 'refused', 'accepted'],
    'aws4: `URI malformed`; aws4fetch signs `%25FF`',
  ),
  row(
    'a repeated parameter',
    { target: '/V1/?a=2&a=1' },
    ['refused', 'refused', 'accepted'],
    'the documents sign each; aws4 and aws4fetch only the first (S3 de-duplicated them for years, by public reports)',
  ),
  row(
    'a parameter without a name',
    { target: '/V1/?=v' },
    ['refused', 'refused', 'accepted'],
    'aws4 and aws4fetch leave it out',
  ),
  row(
    'a parameter `__proto__`',
    { target: '/V1/?__proto__=1&a=2' },
    ['refused', 'accepted', 'refused'],
    'set as the prototype of an object, and lost',
  ),
  row(
    'bytes in a query that are not UTF-8',
    { target: '/V1/?x=%FF' },
    ['refused', 'refused', 'refused'],
    'signed as U+FFFD, sent as is',
  ),
  row(
    '1 100 parameters',
    { target: `/V1/?${many}` },
    ['refused', 'accepted', 'accepted'],
    'aws4 signs the first 1 000',
  ),
  row(
    'a header that is not ASCII',
    { target: '/V1/k', headers: { 'x-amz-meta-a': 'é' } },
    ['refused', 'refused', 'refused'],
    'hashed as UTF-8, sent as Latin-1',
  ),
  row(
    'a `date` header',
    { target: '/V1/k', headers: { date: 'Fri, 24 May 2013 00:00:00 GMT' } },
    ['refused', 'accepted', 'accepted'],
    'aws4 uses its date for the signature',
  ),
  row(
    'bytes as a body',
    { method: 'PUT', target: '/V1/k', body: new Uint8Array([0, 255]) },
    ['accepted', 'altered', 'accepted'],
    'aws4fetch sends a `Request` without a content type empty, and the server accepts it',
  ),
  row(
    '`FormData` as a body',
    { method: 'POST', target: '/V1/', body: form },
    ['throws', 'accepted', 'accepted'],
    'aws4 hashes only strings and buffers',
  ),
  row(
    'a lowercase method',
    { method: 'put', target: '/V1/k', body: 'text' },
    ['refused', 'accepted', 'refused'],
    '`fetch` sends `PUT`, but `put` was signed',
  ),
]

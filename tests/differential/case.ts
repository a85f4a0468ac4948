/** What a case is made of: each dimension with all its values. */
export const dimensions = {
  method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  body: [
    'none',
    'empty text',
    'text',
    'bytes',
    '500 KB',
    'URLSearchParams',
    'FormData',
    'Blob',
    'web stream',
    'Node stream',
    'async generator',
  ],
  /** The framing headers that the caller sets. */
  framing: ['none', 'right length', 'too long', 'too short', 'chunked', 'both'],
  pace: [
    'after the body',
    'before the body',
    /** The head and some of the response before the body was read, the rest after it. */
    'around the body',
    'slow head',
    'in pieces',
    'cut in the body',
    'cut before the head',
  ],
  status: [200, 204, 404, 503],
  encoding: ['identity', 'gzip'],
  redirect: [0, 301, 302, 303, 307, 308],
  /** The origin that a redirect leads to; `allowed` is not covered, and the adapter is told to follow. */
  target: ['same', 'covered', 'uncovered', 'allowed'],
  /** The client's own way to treat redirects. */
  mode: ['follow', 'manual', 'error'],
  /** An option of the client's own that limits the call. */
  limit: ['none', 'request body', 'response body'],
} as const

type Dimensions = typeof dimensions

/** The values of one comparison. */
export type Case = { readonly [Name in keyof Dimensions]: Dimensions[Name][number] }

export type BodyKind = Case['body']

/** Tells if the length of a body is known only once all of it was read. */
export function isStream({ body }: Case): boolean {
  return body === 'web stream' || body === 'Node stream' || body === 'async generator'
}

/** Tells if the caller's framing headers contradict the body. */
export function isMisframed({ framing }: Case): boolean {
  return framing === 'too long' || framing === 'too short' || framing === 'both'
}

/** Tells if the whole response is there before the body was read, which a client may then leave unsent. */
export function isEarly({ pace }: Case): boolean {
  return pace === 'before the body'
}

/** Tells if Node would send the body without any framing. */
export function isUnframedByNode(one: Case): boolean {
  const seldomHasBody = ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(one.method)
  return seldomHasBody && one.framing === 'none' && isStream(one)
}

/** Tells if a redirect turns the request into a GET without a body. */
export function becomesGet({ method, redirect }: Case): boolean {
  if (redirect === 303) return method !== 'GET' && method !== 'HEAD'
  return redirect !== 0 && redirect < 303 && method === 'POST'
}

/** The values of a case that are not the plain ones, for messages. */
export function describeCase(one: Case): string {
  const { method, body, framing, pace, status, encoding, redirect, target, mode, limit } = one
  const parts = [`${method} with ${body === 'none' ? 'no body' : body}`]
  if (framing !== 'none') parts.push(`framing ${framing}`)
  if (pace !== 'after the body') parts.push(`response ${pace}`)
  if (status !== 200 || encoding !== 'identity') parts.push(`${status} ${encoding}`)
  if (redirect) parts.push(`${redirect} to ${target}, ${mode}`)
  if (limit !== 'none') parts.push(`limit of the ${limit}`)
  return parts.join('; ')
}

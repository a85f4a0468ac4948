import { caseText, type OddCase, oddCase } from './plan.ts'

type Parts = Partial<Omit<OddCase, 'adapter'>>

const each = (adapters: readonly string[], parts: Parts): string[] =>
  adapters.map((adapter) => caseText(oddCase({ adapter, ...parts })))

const gots = ['got16', 'got15', 'got14']
const kinds = ['fetch', 'axios-http', 'got16', 'undici8-request']

/** Cases each of which once was a fault, with some of their neighbours. */
export const killers: readonly string[] = [
  // A control character in a header ended the process.
  ...each([...gots, 'got14-stream'], { header: 'control' }),
  ...each(['axios17-http'], { header: 'control', service: 'accept-close' }),
  ...each(['axios-http', 'undici8-request'], { header: 'odd-array', service: 'head-reset' }),
  // So did a stream that failed while a login was under way, or before anybody read it.
  ...each(['fetch', 'ky2', 'undici8-request', 'undici7-stream', 'axios-http', 'got16'], {
    scheme: 'token-slow',
    body: 'node-missing-file',
  }),
  ...each(['fetch', 'undici8-request'], { url: 'other-origin', body: 'node-fails-at-once' }),
  ...each(['fetch', 'axios-http'], {
    scheme: 'own-never',
    body: 'node-fails-later',
    signal: 'after',
  }),
  // Requests left without their credential, or again and again.
  ...each(kinds, { scheme: 'own-thenable-empty' }),
  ...each(kinds, { scheme: 'own-review-thenable-endless' }),
  ...each(['fetch', 'got16'], { scheme: 'own-realm' }),
  ...each(['fetch', 'axios-http'], { scheme: 'token', world: 'promise-library' }),
  ...each(['got16', 'undici8-request'], { scheme: 'selector', world: 'promise-subclass' }),
  // They went past the caller's own dispatcher.
  ...each(['ky2', 'openapi-fetch'], { scheme: 'sigv4', url: 'names', transport: 'guard' }),
  ...each(['fetch'], { scheme: 'sigv4', url: 'request', transport: 'guard', service: 'emulator' }),
  // Their body was a text about a stream.
  ...each(['fetch-node-fetch'], { body: 'large-blob' }),
  ...each(['fetch-node-fetch'], { body: 'large-form', scheme: 'sigv4' }),
  // They never settled.
  ...each(['axios17-http', 'axios-http'], { service: 'gzip-broken', signal: 'after' }),
  // The surplus of a body was the next request.
  ...each(['axios-http', 'axios17-http', ...gots], { body: 'node-longer' }),
  ...each(['fetch', 'got16'], { body: 'node-shorter', service: 'slow' }),
  // A stream that was not sent stayed open.
  ...each(['fetch', 'undici8-request'], { header: 'line-break', body: 'node-file' }),
  ...each(['fetch'], { signal: 'aborted', body: 'node-file' }),
  ...each(['fetch'], { scheme: 'own-rejects', body: 'web' }),
]

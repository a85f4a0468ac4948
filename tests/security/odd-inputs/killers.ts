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
  // So did what was thrown without being an Error, a signal that is none, and a file that was changed.
  ...each(['got14', 'got14-stream'], { scheme: 'own-throws-undefined' }),
  ...each(['axios17-http'], { service: 'body-reset', signal: 'text' }),
  ...each(['axios17-http'], { body: 'changed-file' }),
  // So did the form of a Request that was let go of while Node read it.
  ...each(['ky1', 'ky2'], { url: 'data', body: 'large-form' }),
  ...each(['fetch'], { url: 'request', scheme: 'own-rejects', body: 'large-form' }),
  ...each(['ky2-hooks', 'ky1-hooks'], { header: 'control', body: 'large-form' }),
  // Requests left without their credential, or again and again.
  ...each(kinds, { scheme: 'own-thenable-empty' }),
  ...each(kinds, { scheme: 'own-review-thenable-endless' }),
  ...each(['fetch', 'got16'], { scheme: 'own-realm' }),
  ...each(['fetch', 'axios-http'], { scheme: 'token', world: 'promise-library' }),
  ...each(['got16', 'undici8-request'], { scheme: 'selector', world: 'promise-subclass' }),
  ...each(['got16', 'got15'], { scheme: 'own-bad-url' }),
  ...each(gots, { scheme: 'own-review-endless', service: 'redirect-get-loop' }),
  // They went past the caller's own dispatcher.
  ...each(['ky2', 'openapi-fetch'], { scheme: 'sigv4', url: 'names', transport: 'guard' }),
  ...each(['fetch'], { scheme: 'sigv4', url: 'request', transport: 'guard', service: 'emulator' }),
  // Their body was a text about a stream.
  ...each(['fetch-node-fetch'], { body: 'large-blob' }),
  ...each(['fetch-node-fetch'], { body: 'large-form', scheme: 'sigv4' }),
  // They never settled.
  ...each(['axios17-http', 'axios-http'], { service: 'gzip-broken', signal: 'after' }),
  // Their body was not the caller's, or had two frames.
  ...each(['axios17-http'], { body: 'shared-bytes' }),
  ...each(['fetch-node-fetch'], { body: 'text', header: 'transfer-encoding' }),
  // The surplus of a body was the next request.
  ...each(['axios-http', 'axios17-http', ...gots], { body: 'node-longer' }),
  ...each(['fetch', 'got16'], { body: 'node-shorter', service: 'slow' }),
  // A stream that was not sent stayed open.
  ...each(['fetch', 'undici8-request'], { header: 'line-break', body: 'node-file' }),
  ...each(['fetch'], { signal: 'aborted', body: 'node-file' }),
  ...each(['fetch'], { scheme: 'own-rejects', body: 'web' }),
  ...each(['got15', 'got14'], { scheme: 'token-failing', body: 'web-objects' }),
  ...each(['got14-stream'], { scheme: 'own-covers-throws', body: 'web' }),
  ...each(['authorize-request'], { init: 'odd-mode', body: 'web-longer' }),
  // An upload, or a listener, outlived its call.
  ...each(['got16', 'got16-stream'], { service: 'redirect-early', body: 'large-form' }),
  ...each(gots, { signal: 'after', timeout: 'negative', transport: 'stuck' }),
]

import { type AcceptedDifference, someAspects } from './row.ts'

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
]

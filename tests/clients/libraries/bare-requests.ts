import type { ClientUnderTest } from '../client.ts'

type Limits = Required<Pick<ClientUnderTest, 'refuses' | 'cannot'>>

const asItStands =
  'its bare `Request` is sent with its URL as it stands, which the service reads as the signed one'

/** The limits of a bare `Request`, which may hold a dispatcher that nobody can see. */
export const bareRequestLimits: Limits = {
  refuses: {
    'a `%` that begins no escape in a path: the object that was meant': 'ERR_AUTH_REQUEST',
    'within the origin: signed again, body included': 'ERR_AUTH_REQUEST',
    'from a token path to a signed path: the selector chooses again': 'ERR_AUTH_REQUEST',
    'a 302 turns a POST into a GET, signed as a GET': 'ERR_AUTH_REQUEST',
    'to another origin, if allowed: without any credential': 'ERR_AUTH_REQUEST',
  },
  cannot: {
    'PUT, HEAD, GET and DELETE, at exactly the URL that was signed': asItStands,
    'a `+` in a path, to a service that reads a raw one as a space: the object that was meant':
      'its bare `Request` is sent with its URL as it stands, whose signature such a service refuses',
  },
}

/** The limits of one that holds a dispatcher, which `fetch` is not given once more. */
export const hiddenDispatcherLimits: Limits = {
  refuses: { 'is asked for the target of a redirect': 'ERR_AUTH_REQUEST' },
  cannot: { 'is asked for exactly the URL that was signed': asItStands },
}

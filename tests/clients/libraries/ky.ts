import { authFetch, authKy, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme, Fetch } from '@svc/types'
import ky from 'ky'
import ky1 from 'ky1'
import { type ClientCall, type ClientUnderTest, NotPossible, type Options } from '../client.ts'
import { responseOf } from '../response.ts'
import { versionOf } from '../version-of.ts'
import { bareRequestLimits } from './bare-requests.ts'
import { innerFetch } from './inner-fetch.ts'
import { requestInit } from './request-init.ts'

const followsNoRedirect = {
  'within the origin: signed again, body included': 'HTTPError',
  'within the origin, with `rebuildRequests`: signed again, body included': 'HTTPError',
  'from a token path to a signed path: the selector chooses again': 'HTTPError',
  'a 302 turns a POST into a GET, signed as a GET': 'HTTPError',
  'to another origin: refused with an error code, nothing is sent there': 'HTTPError',
  'to another origin, if allowed: without any credential': 'HTTPError',
  'to another origin with a body, even if allowed: refused with an error code': 'HTTPError',
  'from https to http: refused with an error code': 'HTTPError',
  'is asked for the target of a redirect': 'HTTPError',
}

/** ky 2 through `authKy`. */
export const ky2Client: ClientUnderTest = {
  name: 'ky',
  version: versionOf('ky'),
  adapter: 'authKy',
  connect: connect(
    (scheme, fetch, options) => (hook) =>
      ky2With(hook).extend(authKy(scheme, { ...options, fetch })),
  ),
}

/** ky 1 through `authKy`. */
export const ky1Client: ClientUnderTest = {
  name: 'ky',
  version: versionOf('ky1'),
  adapter: 'authKy',
  connect: connect(
    (scheme, fetch, options) => (hook) =>
      ky1With(hook).extend(authKy(scheme, { ...options, fetch })),
  ),
}

/** ky 2 with nothing but a `fetch`. */
export const ky2FetchClient: ClientUnderTest = {
  name: 'ky',
  way: 'fetch',
  version: versionOf('ky'),
  adapter: 'authFetch',
  ...bareRequestLimits,
  connect: connect((scheme, inner, options) => {
    const fetch = authFetch(scheme, { ...options, fetch: inner })
    return (hook) => ky2With(hook).extend({ fetch })
  }),
}

/** ky 1 with nothing but a `fetch`. */
export const ky1FetchClient: ClientUnderTest = {
  name: 'ky',
  way: 'fetch',
  version: versionOf('ky1'),
  adapter: 'authFetch',
  ...bareRequestLimits,
  connect: connect((scheme, inner, options) => {
    const fetch = authFetch(scheme, { ...options, fetch: inner })
    return (hook) => ky1With(hook).extend({ fetch })
  }),
}

/** ky 2 with a `fetch` of its own, through `kyAuthHooks`. */
export const ky2HooksClient: ClientUnderTest = {
  name: 'ky',
  way: 'hooks',
  version: versionOf('ky'),
  adapter: 'kyAuthHooks',
  refuses: followsNoRedirect,
  connect: connect((scheme, fetch, options) => {
    assertNoReplayLimit(options)
    const hooks = kyAuthHooks(scheme, { fetch })
    return (hook) => ky2With(hook).extend({ hooks, ...(fetch && { fetch }) })
  }),
}

/** ky 1 with a `fetch` of its own, through `kyAuthHooks`. */
export const ky1HooksClient: ClientUnderTest = {
  name: 'ky',
  way: 'hooks',
  version: versionOf('ky1'),
  adapter: 'kyAuthHooks',
  refuses: followsNoRedirect,
  cannot: {
    'an error for a timeout': 'it runs no hook for its `TimeoutError`, which holds the request',
  },
  connect: connect((scheme, fetch, options) => {
    assertNoReplayLimit(options)
    const hooks = kyAuthHooks(scheme, { fetch })
    return (hook) => ky1With(hook).extend({ hooks, ...(fetch && { fetch }) })
  }),
}

function assertNoReplayLimit(options: Options | undefined): void {
  if (options?.maxReplayBytes === undefined) return
  throw new NotPossible('its hooks read up to 8 MiB of a body before it is sent')
}

/** The part of ky that is alike in both majors. */
type Send = (url: URL, options: ReturnType<typeof optionsOf>) => Promise<Response>
type SetUp = (
  scheme: AuthScheme,
  fetch: Fetch | undefined,
  options: Options | undefined,
) => (hook: ClientCall['hook']) => Send

function connect(setUp: SetUp): ClientUnderTest['connect'] {
  return (scheme, settings) => {
    const { fetch, dispatcherOption, close } = innerFetch(settings)
    const instance = setUp(scheme, fetch, settings.options)
    return {
      shown: instance(undefined),
      close,
      async send(call) {
        const options = { ...optionsOf(call), ...dispatcherOption }
        return responseOf(await instance(call.hook)(call.url, options))
      },
    }
  }
}

function optionsOf(call: ClientCall) {
  const { json, retries, timeoutMs } = call
  return {
    ...requestInit(call),
    ...(json && { json }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(retries !== undefined && {
      retry: { limit: retries, methods: ['post' as const, 'get' as const], delay: () => 0 },
    }),
  }
}

function ky2With(hook: ClientCall['hook']) {
  return ky.create({ hooks: { beforeRequest: [({ request }) => setHeaders(request, hook)] } })
}

function ky1With(hook: ClientCall['hook']) {
  return ky1.create({ hooks: { beforeRequest: [(request) => setHeaders(request, hook)] } })
}

function setHeaders({ headers }: Request, hook: ClientCall['hook']): void {
  for (const [name, value] of Object.entries(hook?.() ?? {})) headers.set(name, value)
}

import type { ClientRequest, RequestOptions } from 'node:http'
import type { GotOptions, GotRequestFunction } from './got-options.ts'

/** Opens a request through the user's own `request` function, or as got itself would. */
export async function openGotRequest(
  options: GotOptions,
  own: GotRequestFunction | undefined,
  nativeOptions: RequestOptions,
  url: URL,
  wireUrl: string | undefined,
): Promise<ClientRequest> {
  // For a request function that is not its own, got leaves out what HTTP/2 needs.
  const { headers: _headers, ...settings }: RequestOptions = own
    ? nativeOptions
    : options.createNativeRequestOptions()
  const target = {
    ...settings,
    // A signature covers the host of the URL.
    setHost: true,
    // A URL would be parsed, and the wire form is sent as it stands.
    ...(wireUrl !== undefined && { path: wireUrl.slice(wireUrl.indexOf('/', 'https://'.length)) }),
  }
  const request = (await own?.(url, target)) ?? (await ownRequestFunction(options)(url, target))
  if (request && 'setHeader' in request) return request
  throw new TypeError('[@svc/auth-hooks] the request option of got must return a ClientRequest')
}

/** The function that got sends with where the user has none. */
function ownRequestFunction(options: GotOptions): GotRequestFunction {
  const { request } = options
  options.request = undefined
  try {
    // got's types leave its fallbacks out.
    return options.getRequestFunction() as GotRequestFunction
  } finally {
    options.request = request
  }
}

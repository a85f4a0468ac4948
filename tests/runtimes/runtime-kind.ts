// A worker of a browser has neither a document nor a window.
const agent: string = globalThis.navigator?.userAgent ?? ''

/** `true` if redirects are hidden. */
export const isBrowser: boolean = agent.startsWith('Mozilla/')

/** `true` if `fetch` follows redirects whatever it is told, and bodies are encoded where nobody sees them. */
export const isReactNative: boolean = globalThis.navigator?.product === 'ReactNative'

/** `true` if there is no Web Crypto. */
export const lacksCrypto: boolean = !('crypto' in globalThis)

/** `true` if `fetch` drops the length of a stream, whatever its headers say, or takes no stream. */
export const sendsNoStreamLength: boolean = isBrowser || isReactNative || 'Deno' in globalThis

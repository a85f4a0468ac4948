// A worker of a browser has neither a document nor a window.
const agent: string = globalThis.navigator?.userAgent ?? ''

/** `true` if redirects are hidden. */
export const isBrowser: boolean = agent.startsWith('Mozilla/')

/** `true` if `fetch` drops the length of a stream, whatever its headers say. */
export const sendsNoStreamLength: boolean = isBrowser || 'Deno' in globalThis

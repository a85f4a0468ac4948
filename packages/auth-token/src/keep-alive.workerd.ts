// As a namespace: an older workerd has the module without the function.
import * as workers from 'cloudflare:workers'

/** Keeps the request alive that began a login, which would end with it in workerd, unfinished. */
export const keepAlive: ((promise: Promise<unknown>) => void) | undefined = workers.waitUntil

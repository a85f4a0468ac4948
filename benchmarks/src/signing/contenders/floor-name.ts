/** What the floor of the runtimes with `node:crypto` is called. */
export const nodeFloorName = 'bare SHA-256 and HMAC'

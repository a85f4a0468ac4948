/** The name of the floor in the runtimes with `node:crypto`. */
export const nodeFloorName = 'bare SHA-256 and HMAC'

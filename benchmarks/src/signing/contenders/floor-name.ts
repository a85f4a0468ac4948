/** The name of the hashes and the HMAC that every signature needs. */
export const floorName = 'bare SHA-256 and HMAC'

/** The name of what every body that is signed and may be sent again needs. */
export const copyFloorName = 'copying and hashing the body once'

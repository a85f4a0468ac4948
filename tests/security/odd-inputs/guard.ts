/** The header that a transport of the caller's adds to what goes through it. */
export const guardHeader = 'x-via'

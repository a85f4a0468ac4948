/** The version of this package, as its manifest has it. */
export const version = '0.0.0'

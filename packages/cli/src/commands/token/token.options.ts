/** Values of the options of `token`. */
export interface TokenOptions {
  readonly header?: boolean
  readonly json?: boolean
}

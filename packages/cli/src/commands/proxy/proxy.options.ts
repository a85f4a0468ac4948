/** Values of the options of `proxy`. */
export interface ProxyOptions {
  readonly port?: string
  readonly socket?: string
  readonly allow?: readonly string[]
  readonly readOnly?: true
  readonly secretFile?: string
  readonly printKeys?: true
  readonly json?: true
  readonly quiet?: true
}

// It comes without types.
declare module 'auth-header' {
  /** Reads one challenge. */
  export function parse(field: string): {
    readonly scheme: string
    readonly params: Readonly<Record<string, string | string[]>>
  }
}

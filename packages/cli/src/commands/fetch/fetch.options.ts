/** Values of the options of `fetch`. */
export interface FetchOptions {
  readonly request?: string
  readonly header?: readonly string[]
  readonly data?: readonly string[]
  readonly dataBinary?: readonly string[]
  readonly dataRaw?: readonly string[]
  readonly json?: readonly string[]
  readonly uploadFile?: string
  readonly output?: string
  readonly remoteName?: boolean
  readonly range?: string
  readonly include?: boolean
  readonly head?: boolean
  readonly fail?: boolean
  readonly location?: boolean
  readonly compressed?: boolean
  readonly maxTime?: string
  readonly silent?: boolean
  readonly showError?: boolean
  readonly verbose?: boolean
}

/** Values of the options of `login`. */
export interface LoginOptions {
  readonly passwordStdin?: boolean
  readonly again?: boolean
  readonly save?: boolean
}

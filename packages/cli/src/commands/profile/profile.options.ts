/** Values of the options of `profile`. */
export interface ProfileAddOptions {
  readonly credentialProcess?: string
  readonly secretStdin?: boolean
  readonly replace?: boolean
}

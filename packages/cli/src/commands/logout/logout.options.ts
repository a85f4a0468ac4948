/** Values of the options of `logout`. */
export interface LogoutOptions {
  readonly forgetPassword?: boolean
}

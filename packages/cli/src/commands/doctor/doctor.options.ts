/** Values of the options of `doctor`. */
export interface DoctorOptions {
  readonly online?: boolean
  readonly json?: boolean
}

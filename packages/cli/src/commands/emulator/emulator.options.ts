/** Values of the options of `emulator`. */
export interface EmulatorCommandOptions {
  readonly port?: string
  readonly host?: string
  readonly users?: string
  readonly keys?: string
  readonly region?: string
}

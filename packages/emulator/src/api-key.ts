/** A key that the emulator accepts signatures of. */
export interface EmulatorApiKey {
  /** The "Client Key" of the console. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Where set, requests must bring it, signed, in `x-amz-security-token`. */
  readonly sessionToken?: string
}

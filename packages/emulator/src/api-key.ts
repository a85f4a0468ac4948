/** A key that the emulator accepts signatures of. */
export interface EmulatorApiKey {
  /** The "Client Key" of the console. */
  readonly accessKeyId: string
  /** The secret that signatures are made with. */
  readonly secretAccessKey: string
  /**
   * Where set, requests must bring it, signed, in `x-amz-security-token`.
   *
   * @default no session token, and requests must bring none
   */
  readonly sessionToken?: string
}

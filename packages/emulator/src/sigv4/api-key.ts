/** A key whose signatures the emulator accepts. */
export interface EmulatorApiKey {
  /** The "Client Key" of the console. */
  readonly accessKeyId: string
  /** The secret that requests are signed with. */
  readonly secretAccessKey: string
  /**
   * If set, requests must carry it, signed, in `x-amz-security-token`.
   *
   * @default no session token, and requests must not carry one
   */
  readonly sessionToken?: string
}

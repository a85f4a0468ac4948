/** The addresses of the host; both on loopback, and each an origin of its own. */
export interface Addresses {
  /** The emulator. */
  readonly service: string
  /** The server that tells of the emulator and lets it misbehave. */
  readonly control: string
}

/** Where the host listens; both on loopback, and each an origin of its own. */
export interface Addresses {
  /** The emulator. */
  readonly service: string
  /** What tells of the emulator and lets it misbehave. */
  readonly control: string
}

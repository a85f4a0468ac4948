/** One thing that holds in every runtime; throws where it does not. */
export interface Check {
  readonly name: string
  run(): Promise<void>
}

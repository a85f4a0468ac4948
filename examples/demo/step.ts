/** A step of the demo, and the outcome that it must have. */
export interface DemoStep {
  readonly title: string
  readonly client: 'fetch' | 'ky'
  /** Causes the fault of this step, if it has one. */
  readonly before?: () => void
  /** Sends through the client and returns the result for its caller. */
  readonly send: () => Promise<unknown>
  readonly expected: StepOutcome
}

/** The outcome of a step, for the caller and at the service. */
export interface StepOutcome {
  readonly result: unknown
  /** One line for each request that reached the service. */
  readonly exchanges: readonly string[]
  /** `true` if each of these carried other credentials than the ones before. */
  readonly freshCredentials: boolean
  readonly logins: number
}

/** A request that reached the service, as the table shows it. */
export interface ExchangeRow {
  readonly request: string
  readonly scheme: string
  readonly added: readonly string[]
  readonly status: string
}

/** A step that was taken, with its actual outcome. */
export interface StepResult {
  readonly step: DemoStep
  readonly exchanges: readonly ExchangeRow[]
  readonly actual: StepOutcome
  readonly isAsExpected: boolean
}

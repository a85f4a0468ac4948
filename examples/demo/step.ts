/** One thing that the demo does, and what has to come of it. */
export interface Step {
  readonly title: string
  readonly client: 'fetch' | 'ky'
  /** What goes wrong on purpose. */
  readonly before?: () => void
  /** Sends through the client and gives what its caller got. */
  readonly send: () => Promise<unknown>
  readonly expected: Outcome
}

/** What came of a step, at the caller's end and at the service's. */
export interface Outcome {
  readonly answer: unknown
  /** One line for each request that reached the service. */
  readonly exchanges: readonly string[]
  /** Whether each of these bore other credentials than the ones before. */
  readonly freshCredentials: boolean
  readonly logins: number
}

/** A request that reached the service, as the table shows it. */
export interface Exchange {
  readonly request: string
  readonly scheme: string
  readonly added: readonly string[]
  readonly status: string
}

/** A step that was taken. */
export interface StepResult {
  readonly step: Step
  readonly exchanges: readonly Exchange[]
  readonly came: Outcome
  readonly isAsExpected: boolean
}

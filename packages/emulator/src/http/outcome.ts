import type { Answer } from './response.ts'
import type { RecordedAuth } from './recorded-request.ts'

/** An answer, and what was verified on the way to it. */
export interface Outcome {
  readonly answer: Answer
  readonly auth: RecordedAuth
}

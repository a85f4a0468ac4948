import type { Case } from '../case.ts'

/** A difference between an adapter and its bare client that is meant to be. */
export interface AcceptedDifference {
  /** The clients of the row: a part of their titles, such as `authAxios, axios 1.7 over http`. */
  readonly clients: RegExp
  /** The cases in which it may occur. */
  readonly when: (one: Case) => boolean
  /** What may differ. */
  readonly what: As | TypedError | SomeAspects
  /**
   * `true` if it depends on which of two things comes first, so that a night may pass without it.
   *
   * @default `false`
   */
  readonly isRace?: boolean
  /** The row of the page. */
  readonly page: {
    readonly client: string
    readonly situation: string
    readonly bare: string
    readonly ours: string
    readonly reason: string
  }
}

/** The adapter behaves in all aspects as its bare client does in another case. */
export interface As {
  readonly kind: 'as'
  readonly other: (one: Case) => Case
}

/** The call ends with an error that its adapter chose. */
export interface TypedError {
  readonly kind: 'error'
  /** A part of the code or the message, of the error or of its cause. */
  readonly says: string
  /** The requests that may have begun until then: their paths. */
  readonly sent: RegExp
}

/** Only some aspects differ. */
export interface SomeAspects {
  readonly kind: 'aspects'
  readonly aspects: RegExp
  /** What the adapter shows in them. */
  readonly ours: RegExp
}

/** A call that ends with an error of ours. */
export function typedError(says: string, sent: RegExp): TypedError {
  return { kind: 'error', says, sent }
}

/** A call that goes as another case of the bare client. */
export function as(other: (one: Case) => Case): As {
  return { kind: 'as', other }
}

/** A call that differs only in some aspects. */
export function someAspects(aspects: RegExp, ours: RegExp): SomeAspects {
  return { kind: 'aspects', aspects, ours }
}

import { amzDate } from './amz-date.ts'
import { type CredentialScope, scopeText } from './engines/credential-scope.ts'

/** The date of a signature, in every form in which it is signed. */
export interface SigningDate {
  /** As it stands in `x-amz-date`: `20130524T000000Z`. */
  readonly amzDate: string
  readonly scope: CredentialScope
  /** The scope as it stands in the string to sign. */
  readonly scopeText: string
}

/** Writes dates down for one region and service. Signatures come many to a second: the last is kept. */
export function signingDates(region: string, service: string): (at: number) => SigningDate {
  let last: SigningDate | undefined
  let lastSecond: number | undefined
  return (at) => {
    const second = Math.floor(at / 1000)
    if (last && second === lastSecond) return last
    const date = amzDate(at)
    const scope = { date: date.slice(0, 8), region, service }
    last = { amzDate: date, scope, scopeText: scopeText(scope) }
    lastSecond = second
    return last
  }
}

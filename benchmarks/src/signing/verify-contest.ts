import { type Verification, verifySigV4 } from '@svc/emulator'
import type { SigningCase } from './case.ts'
import { apiKey, region } from './environment.ts'
import type { Contest, SigningPerformance } from './run-contest.ts'

/** A performance with the verdict of the emulator on the signature. */
export interface VerifiedPerformance extends Omit<SigningPerformance, 'sent'> {
  /** The reason that the figures do not count: the request was not signed, or not correctly. */
  readonly refused?: string
  /** The kind of payload that the emulator found: `signed`, `unsigned` or a kind of stream. */
  readonly payload?: string
}

/** A contest whose signatures have been verified. */
export interface VerifiedContest {
  readonly case: string
  readonly performances: readonly VerifiedPerformance[]
}

/** Has every signature verified by the emulator, which shares no code with any contender. */
export async function verifyContest(
  contest: Contest,
  given: SigningCase,
): Promise<VerifiedContest> {
  return {
    case: contest.case,
    performances: await Promise.all(
      contest.performances.map(async ({ sent, ...performance }) => {
        if (performance.error !== undefined) return { ...performance, refused: performance.error }
        if (!sent) return performance
        const verification = await verify(given, sent)
        return verification.ok
          ? { ...performance, payload: verification.payload }
          : { ...performance, refused: verification.code }
      }),
    ),
  }
}

function verify(
  { method, body = '' }: SigningCase,
  { target, headers }: NonNullable<SigningPerformance['sent']>,
): Promise<Verification> {
  return verifySigV4(
    {
      method,
      target,
      rawHeaders: headers,
      body: typeof body === 'string' ? Buffer.from(body) : body,
    },
    { apiKeys: [apiKey], region },
  )
}

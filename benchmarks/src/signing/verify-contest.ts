import { type Verification, verifySigV4 } from '@svc/emulator'
import type { SigningCase } from './case.ts'
import { apiKey, region } from './environment.ts'
import type { Contest, Performance } from './run-contest.ts'

/** A performance with what the emulator said to the signature. */
export interface VerifiedPerformance extends Omit<Performance, 'sent'> {
  /** Why the figures do not count: the request was not signed, or not rightly. */
  readonly refused?: string
  /** Whether the signature covers the body. */
  readonly payload?: string
}

/** A contest whose signatures have been verified. */
export interface VerifiedContest {
  readonly case: string
  readonly performances: readonly VerifiedPerformance[]
}

/** Asks the emulator, which shares no code with any contender, about every signature. */
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
  { target, headers }: NonNullable<Performance['sent']>,
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

import { diagnose, type Difference, type Verdict } from '@svc/auth-sigv4/diagnose'
import type { Finding } from './inspection.ts'
import { initOf, type SignedParts } from './signed-parts.ts'
import type { ReadResponse } from './pasted-response.ts'

/** The verdicts in the words of the page. */
const verdictTitles: Readonly<Record<Verdict, string>> = {
  'canonical-request': 'The server read another request',
  'string-to-sign': 'Date, region or service differ',
  'secret-or-key': 'The key is the cause',
  clock: 'The time is the cause',
  region: 'The region is the cause',
  payload: 'The body is the cause',
  unknown: 'The response does not say why',
}

/** A diagnosis as a finding, with the lines that differ. */
export interface DiagnosedResponse {
  readonly finding: Finding
  readonly differences: readonly Difference[]
}

/** Lets `diagnose` compare a request with the response to it. */
export async function diagnoseResponse(
  { auth, request }: SignedParts,
  { status, headers, body }: ReadResponse,
): Promise<DiagnosedResponse> {
  const refusal = { response: { status, headers }, data: body }
  const diagnosis = await diagnose(auth, refusal, request.url, initOf(request))
  const { verdict, differences, summary } = diagnosis
  const [head = '', ...paragraphs] = summary.split('\n\n')
  const isSuccess = status >= 200 && status < 300
  const remarks = paragraphs
    // The lines that differ are shown in their places.
    .filter((text) => !text.includes('\n  ours:   ') && !/^And \d+ more\.$/.test(text))
    .flatMap((text) => text.split('\n'))
  return {
    finding: {
      outcome: isSuccess ? 'right' : 'wrong',
      verdict,
      title: isSuccess ? 'The server accepted the request' : verdictTitles[verdict],
      meaning: head,
      remarks,
    },
    differences,
  }
}

import { diagnose, type Difference, type Verdict } from '@svc/auth-sigv4/diagnose'
import type { Finding } from './inspection.ts'
import type { QuotedSignature } from './quoted-signature.ts'
import { engine, initOf, type SignedParts } from './signed-parts.ts'
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
  /** `true` where all lines agree, and nothing tells a wrong secret from a request in another form. */
  readonly isAmbiguous: boolean
}

/** Lets `diagnose` compare a request with the response to it. */
export async function diagnoseResponse(
  parts: SignedParts,
  { status, headers, body, note }: ReadResponse,
  quoted: QuotedSignature | undefined,
): Promise<DiagnosedResponse> {
  const { auth, request, read } = parts
  const refusal = { response: { status, headers }, data: body }
  const diagnosis = await diagnose(auth, refusal, request.url, initOf(request))
  const { verdict, differences, summary, serverMessage } = diagnosis
  const [head = '', ...paragraphs] = summary.split('\n\n')
  const remarks = paragraphs
    // The lines that differ are shown in their places.
    .filter((text) => !text.includes('\n  ours:   ') && !/^And \d+ more\.$/.test(text))
    .flatMap((text) => text.split('\n'))
    // The page shows them itself.
    .map((text) => text.replace('; explain(auth, …) shows ours', ''))
  // Without a status line, the status is a guess.
  const meaning = note === undefined ? head : head.replace(/^403:? /, '')
  const finding = { outcome: 'wrong', verdict, meaning, remarks } as const
  if (status >= 200 && status < 300) {
    const title = 'The server accepted the request'
    return {
      finding: { ...finding, outcome: 'right', title },
      differences,
      isAmbiguous: false,
    }
  }
  const doAllAgree = / All lines that the server shows agree/.test(head)
  if (doAllAgree && !read && quoted && (await isSecretOf(quoted, parts))) {
    const title = verdictTitles['secret-or-key']
    const proven = `The secret given here gives the signature that arrived, for the very lines that the server shows: so the server has another secret for ${quoted.accessKeyId || 'this key'}.`
    return {
      finding: { ...finding, verdict: 'secret-or-key', title, meaning: proven },
      differences: [],
      isAmbiguous: false,
    }
  }
  if (doAllAgree && (verdict === 'unknown' || !read)) {
    return {
      finding: {
        outcome: 'open',
        verdict: 'unknown',
        title: 'Another secret, or another form of the request',
        meaning: read ? meaning : unsignedMeaning,
        remarks: remarks.filter((text) => !text.startsWith('Usual causes: a secret')),
      },
      // Of a request that is signed here, the signature is another one each time.
      differences: differences.filter(({ line }) => line !== 'signature'),
      isAmbiguous: true,
    }
  }
  if (head.includes('another one was refused')) {
    return {
      finding: { ...finding, title: 'The response is to another request' },
      // Of two requests, no difference arose on the way.
      differences: differences.map((one) => ({ ...one, hint: '' })),
      isAmbiguous: false,
    }
  }
  return {
    finding: { ...finding, title: titleOf(verdict, head, serverMessage) },
    differences,
    isAmbiguous: false,
  }
}

function titleOf(verdict: Verdict, head: string, serverMessage: string | undefined): string {
  if (verdict !== 'unknown' || serverMessage === undefined) return verdictTitles[verdict]
  return head.includes('shows neither')
    ? 'The server shows no lines to compare'
    : 'The server gives a reason of its own'
}

/** Tells if the secret gives the signature that arrived, for what the server shows. */
async function isSecretOf(
  { stringToSign, signature }: QuotedSignature,
  { key }: SignedParts,
): Promise<boolean> {
  const [, , scope = ''] = stringToSign.split('\n', 3)
  const [date = '', region = '', service = ''] = scope.split('/', 3)
  if (key.secretAccessKey === '' || signature === '') return false
  const signingKey = await engine.deriveKey(key.secretAccessKey, { date, region, service })
  return (await engine.sign(signingKey, stringToSign)) === signature
}

const unsignedMeaning =
  'All lines that the server shows agree with the request as these packages sign it: either the secret is not the one that the server has, or another tool signed another form of the request.'

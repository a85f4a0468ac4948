import { type AuthScheme, createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { readSignature } from '@svc/auth-sigv4/inspect'
import { findBodyForm } from '../input/body-forms.ts'
import { byteString, type PastedKey, type PastedRequest } from '../input/pasted-request.ts'
import type { InputKind } from '../input/recognise.ts'
import { checkSignature } from './check-signature.ts'
import { diagnoseResponse } from './diagnose-response.ts'
import type { Finding, InspectionTask, RequestInspection } from './inspection.ts'
import type { ReadResponse } from './pasted-response.ts'
import { explainPayload } from './payload-markers.ts'
import { listParameters, validityOf } from './presigned.ts'
import { holdsUsableSecrets, secretsOf } from './secrets.ts'
import { showRequest } from './show-request.ts'
import { engine, hashOf, initOf, type SignedParts } from './signed-parts.ts'

/**
 * Takes a request apart: by its own signature where it bears one, else as these packages would sign it.
 *
 * @throws InputError, TypeError or AuthError where it cannot be signed at all.
 */
export async function inspectRequest(
  pasted: PastedRequest,
  kind: InputKind,
  task: InspectionTask,
  response: ReadResponse | undefined,
): Promise<RequestInspection> {
  const form = findBodyForm(pasted, hashOf)
  const request = { ...pasted, ...(form && { body: form.body }) }
  const key = mergeKeys(task.key, pasted.key)
  const headers = request.headers.map(([name, value]) => [name, byteString(value)] as const)
  const secret = key.secretAccessKey === '' ? undefined : key.secretAccessKey
  const signed = { ...request, url: byteString(request.url), headers }
  const read = readSignature(signed, { secretAccessKey: secret, engine })
  const auth = read?.auth ?? authOf(request, key, task.now)
  const { origin } = new URL(request.url)
  const explanation = read
    ? await explain(auth, `${origin}/`)
    : await explain(auth, request.url, initOf(request))
  const parts: SignedParts = { request, read, key, auth, explanation, now: task.now }

  const findings: Finding[] = []
  const diagnosed = response && (await diagnoseResponse(parts, response))
  if (diagnosed) findings.push(diagnosed.finding)
  findings.push(...(await checkSignature(parts, hashOf, diagnosed?.finding.verdict)))
  const validity = validityOf(read, task.now)
  if (validity) findings.push(validity)
  const [first, ...others] = findings
  const sorted = diagnosed && first ? [first, ...byOutcome(others)] : byOutcome(findings)
  const notes = [
    ...request.notes,
    ...(form?.note === undefined ? [] : [form.note]),
    ...explainPayload(explanation.payloadHash, read?.form ?? 'header'),
    ...(response?.note === undefined ? [] : [response.note]),
  ]
  return showRequest(parts, {
    kind,
    findings: sorted,
    differences: diagnosed?.differences ?? [],
    parameters: listParameters(request.url),
    notes,
    secrets: secretsOf(parts),
    hasSecrets: holdsUsableSecrets(parts),
  })
}

const outcomes = ['wrong', 'right', 'open'] as const

/** Puts the weightiest first. */
function byOutcome(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome))
}

// What stands in the fields goes before what came with the request.
function mergeKeys(given: PastedKey, own: Partial<PastedKey> = {}): PastedKey {
  return {
    accessKeyId: given.accessKeyId.trim() || (own.accessKeyId ?? ''),
    secretAccessKey: given.secretAccessKey || (own.secretAccessKey ?? ''),
    sessionToken: given.sessionToken.trim() || (own.sessionToken ?? ''),
    region: given.region.trim() || (own.region ?? ''),
    service: given.service.trim() || (own.service ?? ''),
  }
}

function authOf({ url }: PastedRequest, key: PastedKey, now: number): AuthScheme {
  const { origin } = new URL(url)
  return createSigV4Auth({
    baseUrl: origin,
    region: key.region || 'us-east-1',
    service: key.service || 's3',
    credentials: {
      accessKeyId: key.accessKeyId || 'ACCESS-KEY-ID',
      // The signature of this one is not shown.
      secretAccessKey: key.secretAccessKey || 'none',
      ...(key.sessionToken !== '' && { sessionToken: key.sessionToken }),
    },
    engine: key.secretAccessKey === '' ? unsigning : engine,
    clock: () => now,
  })
}

/** An engine for a request without a key: it hashes, and signs nothing. */
const unsigning: typeof engine = { ...engine, name: 'none', deriveKey: () => ({}), sign: () => '' }

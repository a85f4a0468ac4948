import { type AuthScheme, createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { readSignature } from '@svc/auth-sigv4/inspect'
import { findBodyForm } from '../input/body-forms.ts'
import {
  byteString,
  headerOf,
  type PastedKey,
  type PastedRequest,
} from '../input/pasted-request.ts'
import type { InputKind } from '../input/recognise.ts'
import { checkSignature } from './check-signature.ts'
import { type DiagnosedResponse, diagnoseResponse } from './diagnose-response.ts'
import { findBody, findMethod } from './find-variant.ts'
import type { Finding, InspectionTask, RequestInspection } from './inspection.ts'
import type { ReadResponse } from './pasted-response.ts'
import { explainPayload } from './payload-markers.ts'
import { listParameters, validityOf } from './presigned.ts'
import { type QuotedSignature, readQuotedSignature } from './quoted-signature.ts'
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
  const key = mergeKeys(task.key, pasted.key)
  const quoted = response && readQuotedSignature(response.body)
  const given = { ...pasted, ...(form && { body: form.body }) }
  const { request, note } = await completed(given, key, quoted)
  const headers = request.headers.map(([name, value]) => [name, byteString(value)] as const)
  const secret = key.secretAccessKey === '' ? undefined : key.secretAccessKey
  const signed = { ...request, url: byteString(request.url), headers }
  const read = readSignature(signed, { secretAccessKey: secret, engine })
  const auth = read?.auth ?? authOf(request, mergeKeys(key, quoted), task.now, quoted)
  const { origin } = new URL(request.url)
  const explanation = read
    ? await explain(auth, `${origin}/`)
    : await explain(auth, request.url, initOf(request))
  const parts: SignedParts = { request, read, key, auth, explanation, now: task.now }

  const diagnosed = response && (await diagnoseResponse(parts, response, quoted))
  const checked = await checkSignature(parts, hashOf, diagnosed?.finding.verdict)
  const findings = mergeFindings(diagnosed, checked)
  const validity = validityOf(read, task.now)
  if (validity) findings.push(validity)
  const [first, ...others] = findings
  const isFirst = first !== undefined && diagnosed?.finding === first
  const sorted = isFirst ? [first, ...byOutcome(others)] : byOutcome(findings)
  const notes = [
    ...request.notes,
    ...(form?.note === undefined ? [] : [form.note]),
    ...(note === undefined ? [] : [note]),
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

/** Finds what the text of a signed request could not tell: the method of a URL alone, the end of a body. */
async function completed(
  request: PastedRequest,
  key: PastedKey,
  quoted: QuotedSignature | undefined,
): Promise<{ readonly request: PastedRequest; readonly note?: string }> {
  if (request.isUrlAlone === true) return completedUrl(request, key, quoted)
  const { headers } = request
  const isTold = ['x-amz-content-sha256', 'content-length'].some(
    (name) => headerOf(headers, name) !== undefined,
  )
  if (isTold || !request.body) return { request }
  const bytes = headers.map(([name, value]) => [name, byteString(value)] as const)
  const url = byteString(request.url)
  const secretAccessKey = key.secretAccessKey || undefined
  const read = readSignature({ ...request, url, headers: bytes }, { engine, secretAccessKey })
  if (!read) return { request }
  return (await findBody({ request, read, key })) ?? { request }
}

/** A URL has neither a method nor headers: they are those that were signed, or that the server quotes. */
async function completedUrl(
  given: PastedRequest,
  key: PastedKey,
  quoted: QuotedSignature | undefined,
): Promise<{ readonly request: PastedRequest; readonly note?: string }> {
  const url = byteString(given.url)
  const read = readSignature({ method: 'GET', url, headers: [] }, { engine })
  if (!read) return { request: given }
  const sent = (quoted?.headers ?? []).filter(([name]) => read.missingHeaders.includes(name))
  const request = { ...given, headers: sent }
  const found = await findMethod({ request, read, key })
  if (found) return found
  if (!quoted || quoted.method === '') {
    return { request, note: 'A URL has no method, so GET is taken.' }
  }
  const note = `A URL has no method and no headers; they are those that the server quotes, with ${quoted.method}.`
  return { request: { ...request, method: quoted.method }, note }
}

/** What is proven about the signature decides where a response alone cannot. */
function mergeFindings(
  diagnosed: DiagnosedResponse | undefined,
  checked: readonly Finding[],
): Finding[] {
  if (!diagnosed) return [...checked]
  const { finding, isAmbiguous } = diagnosed
  if (!isAmbiguous) {
    // Both are true, and would seem to contradict each other.
    const isOther = finding.verdict === 'secret-or-key'
    return [finding, ...checked.map((one) => (isOther && one.title === right ? made(one) : one))]
  }
  const form = checked.find(({ title }) =>
    ['The signature is for another form', 'The secret is not exact'].includes(title),
  )
  if (form) {
    const agreement =
      form.title === 'The secret is not exact'
        ? 'The server read the request as it stands here.'
        : 'The server read the request as it stands here, and the secret is right.'
    const proven = { ...form, verdict: finding.verdict, remarks: [...form.remarks, agreement] }
    return [proven, ...checked.filter((one) => one !== form)]
  }
  const wrong = checked.find(({ title }) => title === 'The signature is wrong')
  if (!wrong) return [finding, ...checked]
  const remarks = [...finding.remarks, ...wrong.remarks.slice(1)]
  return [{ ...finding, outcome: 'wrong', remarks }, ...checked.filter((one) => one !== wrong)]
}

const right = 'The signature is right'

function made(finding: Finding): Finding {
  return { ...finding, title: 'This key made the signature' }
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

function authOf(
  { url, headers }: PastedRequest,
  key: PastedKey,
  now: number,
  quoted: QuotedSignature | undefined,
): AuthScheme {
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
    // Of a request that lacks one of them, the server shows what is missing.
    signHeaders: (quoted?.signedHeaders ?? []).filter(
      (name) => name !== 'host' && headerOf(headers, name) !== undefined,
    ),
    engine: key.secretAccessKey === '' ? unsigning : engine,
    clock: () => now,
  })
}

/** An engine for a request without a key: it hashes, and signs nothing. */
const unsigning: typeof engine = { ...engine, name: 'none', deriveKey: () => ({}), sign: () => '' }

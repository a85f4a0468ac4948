import type { Diagnosis } from '@svc/auth-sigv4/diagnose'
import type { AuthScheme } from '@svc/types'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import { findKeyFaults, keyEnd } from '../../request/key-faults.ts'
import { type CommandRequest, toInit } from '../../request/request.ts'
import type { Signing } from '../../request/signing.ts'
import type { Service } from '../../service.ts'
import { probe, type Sender } from './probe.ts'
import { type Report, reportOf, reportUnrefused } from './report.ts'
import type { SignedRequest } from './variants.ts'

/** Sends a signed request once, and says why it was refused; where nothing says it, probes if that is asked for. */
export async function diagnoseSent(
  service: Service,
  signing: Signing,
  request: CommandRequest,
  options: { readonly probe?: boolean },
  context: CommandContext,
): Promise<Report> {
  const keyNotes = findKeyFaults(signing.apiKey).map(
    ({ problem }) => `Look at the key: ${problem}.`,
  )
  const auth = await signing.createAuth()
  const send = createSender(service, request, context)
  const at = context.clock()
  const signed = await signOnce(auth, request, options, at, context)
  const response = await send(signed)
  const { status, headers } = response
  const unrefused = reportUnrefused(status, headers, 'signature')
  if (unrefused) {
    response.body?.cancel().catch(() => {})
    return unrefused
  }
  const { diagnose } = await import('@svc/auth-sigv4/diagnose')
  const diagnosis = await diagnose(auth, response, request.url, toInit(request, context.signal))
  response.body?.cancel().catch(() => {})
  const isUnexplained = explainsNothing(diagnosis)
  const notes = [...keyNotes, ...ownNotes(diagnosis, headers, signing, request)]
  if (isUnexplained && !options.probe) notes.push('--probe tries the usual causes.')
  const report = reportOf(status, diagnosis, notes)
  if (!isUnexplained || !options.probe) return report
  const first = { request, signing, signed, status, headers, diagnosis, at }
  return { ...report, probe: await probe(first, send) }
}

async function signOnce(
  auth: AuthScheme,
  request: CommandRequest,
  options: { readonly probe?: boolean },
  at: number,
  { signal }: CommandContext,
): Promise<SignedRequest> {
  if (isPresigned(request.url)) {
    if (options.probe) {
      throw new UsageError(
        '--probe signs the request itself; leave the X-Amz-… parameters out of the URL',
      )
    }
    return { url: request.url, headers: request.headers }
  }
  const { explain } = await import('@svc/auth-sigv4/explain')
  return explain(auth, request.url, toInit(request, signal), { at })
}

/** Tells if a URL carries its own signature. */
export function isPresigned({ search }: URL): boolean {
  return /[?&]x-amz-signature=/i.test(search)
}

/** Tells if nothing in a response says why it is one, or only its head does, which a probe can confirm. */
function explainsNothing({ verdict, summary }: Diagnosis): boolean {
  const [, code] = /^\d{3} (\w+): /.exec(summary) ?? []
  const isBare = code === undefined || code === 'SignatureDoesNotMatch'
  return isBare && ['unknown', 'clock', 'region'].includes(verdict)
}

function ownNotes(
  { verdict, differences, summary }: Diagnosis,
  headers: Headers,
  { apiKey }: Signing,
  { url, method }: CommandRequest,
): string[] {
  const notes: string[] = []
  if (verdict === 'canonical-request' && differences.length === 0 && isPresigned(url)) {
    notes.push(`Or signed for another method: this was sent as ${method} (-X names another).`)
  }
  if (/^\d{3} ExpiredToken: /.test(summary)) {
    const endsAt = keyEnd(apiKey)
    const end =
      endsAt === undefined
        ? ''
        : `, and the key says that it ends at ${new Date(endsAt).toISOString()}`
    notes.push(`The service's clock is at ${headers.get('date') ?? 'an unknown time'}${end}.`)
  }
  const location = headers.get('location')
  if (location !== null && URL.canParse(location, url)) {
    const target = new URL(location, url)
    notes.push(
      target.origin === url.origin
        ? `It redirects to ${target.pathname}.`
        : `It redirects to ${target.origin}, where nothing is sent: if that is the service, make it the base URL.`,
    )
  }
  return notes
}

/** Creates what sends the method and the body of a request, to the origin of the base URL alone. */
function createSender(
  { fetch, baseUrl }: Service,
  { method, body }: CommandRequest,
  { signal }: CommandContext,
): Sender {
  const { origin } = new URL(baseUrl)
  return async ({ url, headers }) => {
    if (url.origin !== origin) throw new Error(`${url.origin} is not the origin of the base URL`)
    const sent = { method, headers: [...headers], signal, ...(body && { body: body.bytes }) }
    return fetch(url.href, { ...sent, redirect: 'manual' })
  }
}

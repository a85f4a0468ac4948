import type { OddCase } from './plan.ts'
import type { Report } from './protocol.ts'
import { guardHeader } from './guard.ts'
import type { Arrival, OddService } from './service.ts'
import { user } from './users.ts'

/** The demands of every case. */
export type Demand =
  | 'settles within its time'
  | 'the process lives on'
  | 'the process ends by itself'
  | 'nothing is left'
  | 'no request is left under way'
  | 'every request has its credential'
  | 'no credential goes elsewhere'
  | 'the login goes to its place alone'
  | 'a surplus is no request'
  | 'the body arrives'
  | 'the transport of the caller is used'
  | 'attempts are bounded'

/** Something that a case must not do. */
export interface Fault {
  readonly demand: Demand
  readonly details: string
}

type Settled = Extract<Report, { report: 'settled' }>

const wrongSignature =
  /^(?:SignatureDoesNotMatch|XAmzContentSHA256Mismatch|AuthorizationHeaderMalformed)$/

/** At most 20 hops and 8 attempts more. */
const mostRequests = 29

/** Judges a case by what reached the service. */
export function judgeArrivals(
  plan: OddCase,
  { arrivals, strays, garbage, tokens }: OddService,
  settled: Settled | undefined,
): Fault[] {
  const requests = arrivals.filter(({ isLogin }) => !isLogin)
  const faults: Fault[] = []
  const add = (demand: Demand, found: readonly Arrival[], details?: string): void => {
    const [first] = found
    if (first) {
      const line = `${first.method} ${first.target.slice(0, 80)}`
      faults.push({ demand, details: details ?? `${found.length} of ${requests.length}: ${line}` })
    }
  }
  // undici asks for a tunnel with it, which names no resource of the service.
  const named = requests.filter(({ method }) => method !== 'CONNECT')
  add(
    'every request has its credential',
    named.filter((arrival) => !hasCredential(plan, arrival, tokens)),
  )
  add(
    'every request has its credential',
    requests.filter(({ refusal }) => wrongSignature.test(refusal ?? '')),
    'the emulator finds the signature wrong',
  )
  add('no credential goes elsewhere', strays.filter(holdsCredential))
  add(
    'the login goes to its place alone',
    [...requests, ...strays].filter(({ head, bodyStart }) =>
      `${head}${bodyStart}`.includes(user.password),
    ),
  )
  if (garbage.length > 0) {
    faults.push({ demand: 'a surplus is no request', details: JSON.stringify(garbage[0]) })
  }
  add(
    'a surplus is no request',
    requests.filter(({ target }) => target === '/surplus'),
  )
  add('the body arrives', wrongBodies(plan, requests, settled))
  if (plan.transport !== 'default') {
    add(
      'the transport of the caller is used',
      requests.filter(({ values }) => values(guardHeader).length === 0),
    )
  }
  // Each hop of these is a call of its own.
  const isHopByHop = /undici.-fetch/.test(plan.adapter)
  if (requests.length > mostRequests && !isHopByHop) add('attempts are bounded', requests)
  return faults
}

function hasCredential(
  { scheme }: OddCase,
  { values, target }: Arrival,
  tokens: ReadonlySet<string>,
): boolean {
  const isToken =
    scheme.startsWith('token') || (scheme.startsWith('selector') && /^\/user(?:\/|$)/i.test(target))
  if (isToken) {
    const [token, ...others] = values('x-svc-security-token')
    return token !== undefined && tokens.has(token) && others.length === 0
  }
  if (scheme.startsWith('own')) {
    const [key, ...others] = values('x-api-key')
    // Those that give no credential give a request no leave either.
    if (withoutKey.has(scheme) || others.length > 0) return false
    return scheme === 'own-number-value' ? key === '1' : /^key-\d+$/.test(key ?? '')
  }
  const [authorization = '', ...others] = values('authorization')
  const signature =
    /^AWS4-HMAC-SHA256 Credential=[^ ,]+\/\d{8}\/us-east-1\/s3\/aws4_request, ?SignedHeaders=[a-z\d;-]+, ?Signature=[\da-f]{64}$/
  const isDated = values('x-amz-date').length === 1
  return signature.test(authorization) && isDated && others.length === 0
}

const withoutKey: ReadonlySet<string> = new Set<OddCase['scheme']>([
  'own-undefined',
  'own-empty',
  'own-thenable-empty',
  'own-null',
  'own-text',
  'own-record',
  'own-control-value',
  'own-throwing-headers',
  'own-throws',
  'own-throws-undefined',
  'own-rejects',
  'own-never',
  'own-covers-throws',
  'own-bad-url',
])

function holdsCredential({ values }: Arrival): boolean {
  const names = ['x-api-key', 'authorization', 'x-svc-security-token']
  return names.some((name) => values(name).length > 0)
}

function wrongBodies(
  { body, header, service }: OddCase,
  requests: readonly Arrival[],
  settled: Settled | undefined,
): Arrival[] {
  const whole = requests.filter(({ isWhole }) => isWhole)
  const expected = settled?.outcome === 'resolved' ? settled.expected : undefined
  // The caller's own length is the caller's own fault, and a client may cut there.
  const isCounted =
    expected !== undefined && /^(?:ok|emulator)$/.test(service) && !/length|transfer/.test(header)
  return whole.filter(({ method, bodyStart, bodyBytes, values }) => {
    if (bodyStart.startsWith('[object ') && !body.endsWith('object')) return true
    if (!isCounted || method === 'GET' || method === 'HEAD') return false
    return bodyBytes !== expected && !values('content-encoding').includes('aws-chunked')
  })
}

import type { OperationFault } from './fault.ts'
import {
  type ClientName,
  clientNames,
  type Kind,
  needsSignature,
  needsToken,
  type Operation,
  type PlannedBody,
  type PlannedEnd,
  revokedSession,
  type SessionName,
  sessionNames,
} from './operation.ts'
import { createRandom, type Random } from './random.ts'
import { isQuiet, planWeather, type Weather } from './weather.ts'

/** Some operations that run together, and what they have in common. */
export interface Round {
  readonly number: number
  readonly weather: Weather
  readonly operations: readonly Operation[]
}

const operationsPerRound = 64

const kinds: Readonly<Record<Kind, number>> = {
  'list groups': 18,
  'post with token': 14,
  // Once in a round in which tokens and outcomes are exact.
  'post while revoked': 0,
  'post signed': 10,
  put: 14,
  'put in chunks': 8,
  'put in chunks, trailer': 6,
  get: 8,
  'get, left early': 2,
  'put by link': 3,
  'get by link': 3,
  'put, moved': 3,
  'post, see other': 3,
  'put, sent astray': 2,
  uncovered: 2,
  'fresh session': 3,
  'put, source fails': 2,
  'put, source stalls': 2,
  revoke: 1.5,
  invalidate: 1,
}

/** Plans a round: a function of the seed and its number. */
export function planRound(seed: number, number: number): Round {
  const operations = Array.from({ length: operationsPerRound }, (_, index) =>
    planOperation(createRandom(seed, 2, number, index), number, index),
  )
  return { number, weather: planWeather(seed, number), operations }
}

function planOperation(random: Random, round: number, index: number): Operation {
  // Nor may a session come to a quiet round with a token that has to be replaced.
  const hasGoodTokens = isQuiet(round) || isQuiet(round + 1)
  const kind =
    isQuiet(round) && index === 0
      ? 'post while revoked'
      : random.weighted(hasGoodTokens ? { ...kinds, revoke: 0, invalidate: 0 } : kinds)
  const client = random.pick(clientNames)
  const session = random.pick(sessionsOf(kind))
  const base = {
    id: `${round}-${index}`,
    kind,
    client,
    session,
    via: random.pick(['selector', 'scheme'] as const),
    sharesSignal: random.chance(0.4),
  }
  const body = planBody(random, kind, client)
  const fault = planFault(random, { ...base, fault: 'none', retries: 0 }, round)
  const end = planEnd(random, kind, fault)
  return {
    ...base,
    fault,
    retries: fault === 'busy' && canRetry(kind, client, body) && random.chance(0.6) ? 1 : 0,
    ...(body && { body }),
    ...(end && { end }),
  }
}

function sessionsOf(kind: Kind): readonly [SessionName, ...SessionName[]] {
  // Without a store, one more session would end that of the account.
  if (kind === 'fresh session') return ['file 1', 'redis 1']
  if (kind === 'post while revoked') return [revokedSession]
  return sessionNames
}

// The others have no retries, or none that are apart from those of other calls.
const retrying: ReadonlySet<ClientName> = new Set(['ky', 'got', 'undici'] as const)

function canRetry(kind: Kind, client: ClientName, body: PlannedBody | undefined): boolean {
  // These are set up to retry GET and POST alone.
  return retrying.has(client) && !kind.startsWith('put') && body?.form !== 'stream'
}

function planBody(random: Random, kind: Kind, client: ClientName): PlannedBody | undefined {
  const bytes = random.weighted({ tiny: 5, small: 5, chunk: 3, large: 1 })
  const size = {
    tiny: random.whole(16, 64),
    small: random.whole(65, 9000),
    chunk: random.whole(65_000, 200_000),
    large: random.whole(1_100_000, 1_400_000),
  }[bytes]
  if (kind === 'put, source fails' || kind === 'put, source stalls') {
    return { form: 'stream', bytes: 200_000 }
  }
  if (kind.startsWith('get')) return { form: 'bytes', bytes: size }
  const isStreamable = kind === 'post with token' || kind.startsWith('put in chunks')
  const hasBody = kind.startsWith('post') || kind.startsWith('put')
  if (!hasBody) return undefined
  const form = random.weighted({
    bytes: 4,
    text: 2,
    // undici takes none, and sends it as what can be read only once.
    form: client === 'undici' ? 0 : 1,
    // got knows none.
    blob: client === 'got' ? 0 : 2,
    stream: isStreamable ? 4 : 0,
  })
  return { form, bytes: size }
}

function planFault(random: Random, operation: Operation, round: number): OperationFault {
  const { kind } = operation
  const isPlain = /^(?:list groups|post with token|post signed|put|put in chunks.*|get)$/.test(kind)
  if (!isPlain || random.chance(0.55)) return 'none'
  const mayConfuseClock = isQuiet(round) ? 0 : 1
  const mayReplaceToken = isQuiet(round) || isQuiet(round + 1) ? 0 : 1
  // The page of the groups has one address for all, and a fault meets an address.
  if (kind === 'list groups') return 'none'
  return random.weighted<OperationFault>({
    none: 0,
    slow: 3,
    refused: needsToken(operation) ? 3 * mayReplaceToken : 0.5,
    forbidden: mayConfuseClock,
    throttled: 2,
    busy: 4,
    broken: 1,
    dropped: 4,
    truncated: 2,
    undecodable: 1,
    skewed: needsSignature(operation) ? 1.5 * mayConfuseClock : 0,
    'skewed twice': needsSignature(operation) ? 1.5 * mayConfuseClock : 0,
    silent: 5,
  })
}

function planEnd(random: Random, kind: Kind, fault: OperationFault): PlannedEnd | undefined {
  const afterMs = random.whole(10, 120)
  if (kind === 'put, source stalls') return { by: 'abort', afterMs }
  if (fault === 'silent') {
    return random.chance(0.75) ? { by: 'abort', afterMs } : { by: 'timeout', afterMs }
  }
  return fault === 'none' &&
    /^(?:list groups|post(?! while)|put(?! by link))/.test(kind) &&
    random.chance(0.03)
    ? { by: 'abort ahead' }
    : undefined
}

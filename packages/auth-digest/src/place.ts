import { type Nonce, openSession, type Session } from './answer.ts'
import type { Offer } from './offer.ts'
import type { DigestCredentials, DigestSettings } from './options.ts'
import { countRefusals, type Refusals } from './pause.ts'

/** What is known of the server. */
export interface Place {
  readonly refusals: Refusals
  /** The credentials that were refused since an answer was accepted, as JSON. */
  readonly refused: Set<string>
  /** The credentials that were proven right: with these, answers are sent side by side. */
  right?: DigestCredentials | undefined
  /**
   * The challenge that the next requests are sent with, before they are asked for one. It belongs to the request that met
   * it, until the answer is accepted.
   */
  session?: Session | undefined
  /** `true` if any path asked for Digest. */
  isChallenged?: boolean
  /** The latest nonces, by value: one that comes again is counted on. */
  readonly nonces: Map<string, Nonce>
  /** The calls that find out what others wait for: if the credentials are right, or, in a folder, if there is a challenge. */
  readonly trials: Map<string, Trial>
  /** The folders where a request without credentials was let through: no other one waits for a challenge there. */
  readonly open: Map<string, true>
  /** The strength of the best hash that was accepted: a weaker one is not answered. */
  strength: number
}

export function createPlace(clock: () => number): Place {
  const refusals = countRefusals(clock)
  return {
    refusals,
    refused: new Set(),
    nonces: new Map(),
    trials: new Map(),
    open: new Map(),
    strength: 0,
  }
}

// A server may give each response a nonce of its own, and be asked for many folders.
const most = 1024

/** Keeps a value as the latest of so many. */
export function keep<Value>(all: Map<string, Value>, key: string, value: Value): Value {
  all.delete(key)
  all.set(key, value)
  const [oldest = ''] = all.keys()
  if (all.size > most) all.delete(oldest)
  return value
}

/** Returns a nonce with its count. */
export function nonceOf({ nonces }: Place, value: string): Nonce {
  return keep(nonces, value, nonces.get(value) ?? { value, count: 0 })
}

/** Opens the session of a challenge, with the credentials that are right or, else, current. */
export async function enter(
  settings: DigestSettings,
  place: Place,
  offer: Offer,
): Promise<Session> {
  const credentials = place.right ?? (await settings.readCredentials())
  const pause = place.refusals.pause()
  // The function may return others each time: these are the ones that are sent.
  if (pause && place.refused.has(JSON.stringify(credentials))) throw pause
  return openSession(offer, nonceOf(place, offer.nonce), credentials, settings)
}

export interface Trial {
  readonly ended: Promise<void>
  readonly end: () => void
  /** The error of all who wait for it. */
  error?: unknown
  /** The nonce of the challenge that it met, which its call answers next. */
  nonce: string
}

/** Begins a trial, which ends with its caller's signal too. */
export function beginTrial({ trials }: Place, name: string, signal?: AbortSignal): Trial {
  let resolveEnded = (): void => {}
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve))
  const end = (): void => {
    // Unless another one began, since this one took too long.
    if (trials.get(name) === trial) trials.delete(name)
    signal?.removeEventListener('abort', end)
    resolveEnded()
  }
  const trial: Trial = { ended, end, nonce: '' }
  signal?.addEventListener('abort', end)
  trials.set(name, trial)
  return trial
}

import { type Nonce, openSession, type Session } from './answer.ts'
import type { Offer } from './offer.ts'
import type { DigestSettings } from './options.ts'
import { countRefusals, type Refusals } from './pause.ts'

/** What is known of the server. */
export interface Place {
  readonly refusals: Refusals
  /** The credentials that were refused since an answer was accepted, as JSON. */
  readonly refused: Set<string>
  /** The challenge that the next requests are sent with, before they are asked for one. */
  session?: Session | undefined
  /** `true` while the credentials are known to be right: requests are sent side by side. */
  isVerified: boolean
  /** The latest nonces, by value: one that comes again is counted on. */
  readonly nonces: Map<string, Nonce>
  /** The attempts that find out what others wait for: if the credentials are right, or, in a folder, if there is a challenge. */
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
    isVerified: false,
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

/** Returns the session of a challenge, or the current one, with the credentials that are right or, else, current. */
export async function enter(
  settings: DigestSettings,
  place: Place,
  asked: Offer | undefined,
  trial: Trial | undefined,
): Promise<Session | undefined> {
  const fail = (error: unknown): never => {
    trial?.end(error)
    throw error
  }
  const right = place.isVerified ? place.session?.credentials : undefined
  const credentials = right ?? (await settings.readCredentials().catch(fail))
  const key = JSON.stringify(credentials)
  const pause = place.refusals.pause()
  // The function may return others each time: these are the ones that are sent.
  if (pause && place.refused.has(key)) throw pause
  const { session } = place
  const offer = asked ?? session?.offer
  if (!offer) return undefined
  const isSame = session?.offer.nonce === offer.nonce && session.offer.realm === offer.realm
  if (isSame && JSON.stringify(session.credentials) === key) return session
  place.session = openSession(offer, nonceOf(place, offer.nonce), credentials, settings)
  return place.session
}

export interface Trial {
  /** Resolves to the error of all who wait for it, if it fails for all. */
  readonly ended: Promise<unknown>
  end(error?: unknown): void
}

export function beginTrial({ trials }: Place, name: string): Trial {
  let end = (_error?: unknown): void => {}
  const ended = new Promise((resolve) => (end = resolve))
  const trial = { ended, end }
  trials.set(name, trial)
  // Unless another one began, since this one took too long.
  void ended.then(() => trials.get(name) === trial && trials.delete(name))
  return trial
}

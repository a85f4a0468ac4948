import type { StoreSlot } from '../sharing/store-slot.ts'
import { isAhead } from '../token.ts'
import type { RegisteredClient } from './server.ts'

/** A client that was registered for a sign-in. */
export interface Registration {
  readonly issuer: string
  /** What it was registered with, as JSON. */
  readonly about: string
  readonly client: RegisteredClient
}

/**
 * The registration for a sign-in that has not come about yet, so that the next try goes on with it. Once it has, the
 * record of the sign-in has its client.
 */
export interface KeptRegistration {
  /** Resolves to `undefined` if there is none with this issuer, or the store is away. */
  read(issuer: URL): Promise<Registration | undefined>
  /** Resolves also if the store is away: the worst is another registration. */
  write(registration: Registration | undefined): Promise<void>
}

/** Longer than anyone tries to sign in. A server may forget a client that nobody has signed in with. */
const keptMs = 3_600_000

/** @param slot - That of the turn to ask, whose owner alone registers a client. */
export function registrationIn(slot: StoreSlot, now: () => number): KeptRegistration {
  return {
    async read({ href }) {
      const opened = await slot.read().catch(() => undefined)
      const kept = readRegistration(opened?.content.refreshToken)
      return kept?.issuer === href && isAhead(kept.until, now(), keptMs) ? kept : undefined
    },
    async write(registration) {
      const kept = registration && JSON.stringify({ ...registration, until: now() + keptMs })
      try {
        await slot.swap(await slot.read(), { refreshToken: kept })
      } catch {
        // An event has told it.
      }
    },
  }
}

type Kept = Registration & { readonly until: number }

function readRegistration(text = ''): Kept | undefined {
  try {
    const kept = Object(JSON.parse(text)) as Kept
    const { issuer, about, client, until } = kept
    const texts = [issuer, about, Object(client).clientId]
    return texts.every((part) => typeof part === 'string') && until > 0 ? kept : undefined
  } catch {
    return undefined
  }
}

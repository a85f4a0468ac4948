import type { AuthScheme } from '@svc/types'
import type { Connection, Options } from './client.ts'
import type { Guard } from './guard.ts'
import type { Service, ServiceSettings } from './service/service.ts'

/** Something that every client has to come through, written without any of them in mind. */
export interface Scenario extends ServiceSettings {
  /** The head of the rows that it stands among. */
  readonly topic: string
  /** A sentence about behaviour. */
  readonly name: string
  /** Rejects where the client does not come through. */
  readonly run: (stage: Stage) => Promise<void>
}

/** A service of its own, and the client to try. */
export interface Stage extends Service {
  readonly connect: (scheme: AuthScheme, options?: Options, guard?: Guard) => Connection
  /** Waits, without a clock, for what others do; no longer than the scenario runs. */
  readonly until: (isTrue: () => boolean) => Promise<void>
  /** An address of the service. */
  readonly url: (path: string) => URL
}

import type { batteryLogins } from './login.ts'

/** The place at which the processes share their token. */
export type Place =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: string }

/** The task of a worker. */
export interface ToWorker {
  readonly service: string
  readonly login: keyof typeof batteryLogins
  readonly place: Place
  readonly requests: number
  /** `true` if it stops while it holds the lock, and waits to be killed. */
  readonly isVictim: boolean
}

/** The messages of a worker. */
export type WorkerReport =
  | { readonly type: 'ready' }
  | { readonly type: 'logging-in' }
  | { readonly type: 'ended'; readonly outcome: string }

/** Where the processes share their token. */
export type Place =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: string }

/** What a worker has to do. */
export interface ToWorker {
  readonly service: string
  readonly place: Place
  readonly requests: number
  /** Whether it stops while it holds the lock, and waits to be killed. */
  readonly isVictim: boolean
}

/** What a worker tells. */
export type WorkerReport =
  | { readonly type: 'ready' }
  | { readonly type: 'logging-in' }
  | { readonly type: 'answered'; readonly outcome: string }

/** An object store of its own that takes requests of S3, on loopback. It keeps nothing. */
export interface ObjectStore {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Ends all of its processes at once; what it kept is gone. */
  stop(): Promise<void>
}

/** A kind of object store that others wrote. */
export interface ObjectStoreKind {
  readonly name: string
  /** Tells if it is on this machine, for `describe.runIf`. */
  readonly isInstalled: () => boolean
  /** Starts a store and waits until all of its servers respond. */
  readonly start: () => Promise<ObjectStore>
  /** `true` if it takes a form with a signed policy. */
  readonly takesForms: boolean
  /** `true` if it takes a body in signed chunks, without a trailer. */
  readonly takesSignedChunks: boolean
  /** The error for a body with a trailer. */
  readonly trailerRefusal: { readonly code: string; readonly status: number }
}

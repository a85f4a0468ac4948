/** Counts the bytes of all requests whose response has not gone out. */
export interface PendingBytes {
  /** Opens the account of one request. */
  open(): PendingRequest
}

/** The account of one request. */
export interface PendingRequest {
  /** Counts bytes of this request; returns `false` if there is no room for them. */
  add(bytes: number): boolean
  /** Ends the request, and frees its room. */
  close(): void
}

/** Creates the count. A request that is alone always has room: `maxBodyBytes` bounds it. */
export function createPendingBytes(maxBytes: number): PendingBytes {
  let total = 0
  return {
    open() {
      let own = 0
      let isOpen = true
      return {
        add(bytes) {
          const isAlone = total === own
          if (!isOpen || (!isAlone && total + bytes > maxBytes)) return false
          total += bytes
          own += bytes
          return true
        },
        close() {
          isOpen = false
          total -= own
          own = 0
        },
      }
    },
  }
}

/** Receives the parts of requests. */
interface RequestParts {
  onHead(head: string): void
  /** Receives a part of a body, and the bytes in which it came. */
  onBody(bytes: Buffer, raw: Buffer): void
  onEnd(): void
  /** Receives what is no request. */
  onGarbage(bytes: string): void
}

/** Takes the bytes of a connection. */
export interface RequestReader {
  read(chunk: Buffer): void
}

const nothing: Buffer = Buffer.alloc(0)

/** Reads requests from the bytes of one connection, as strictly as a server may. */
export function readRequests(parts: RequestParts): RequestReader {
  let held = nothing
  // The bytes that are left of a body, or where in its chunks it is.
  let state: 'head' | 'chunk-size' | 'chunk-end' | 'trailer' | 'garbage' | number = 'head'
  let isChunked = false

  const take = (length: number): Buffer => {
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  const takeLine = (end: string): Buffer | undefined => {
    const index = held.indexOf(end)
    return index < 0 ? undefined : take(index + end.length)
  }
  const fail = (bytes: Buffer): boolean => {
    state = 'garbage'
    parts.onGarbage(bytes.toString('latin1', 0, 200))
    return false
  }
  const endBody = (): boolean => {
    state = 'head'
    isChunked = false
    parts.onEnd()
    return held.length > 0
  }

  /** Reads one part, if it is there as a whole. */
  const step = (): boolean => {
    if (state === 'garbage' || held.length === 0) return false
    if (state === 'head') {
      const bytes = takeLine('\r\n\r\n')
      // The start of a line is enough to tell.
      if (!bytes)
        return /^[\w!#$%&'*+.^`|~-]*( |$)/.test(held.toString('latin1', 0, 100))
          ? false
          : fail(held)
      const head = bytes.toString('latin1')
      if (!/^[\w!#$%&'*+.^`|~-]+ [\x21-\xff]+ HTTP\/1\.1\r\n/.test(head)) return fail(bytes)
      const lengths = [...head.matchAll(/^content-length: *(.*?) *\r$/gim)]
      isChunked = /^transfer-encoding:.*chunked/im.test(head)
      const length = lengths[0]?.[1] ?? '0'
      if (!/^\d+$/.test(length) || lengths.length > 1 || (isChunked && lengths.length > 0)) {
        return fail(bytes)
      }
      parts.onHead(head)
      if (isChunked) state = 'chunk-size'
      else if (length === '0') return endBody()
      else state = Number(length)
      return held.length > 0
    }
    if (state === 'chunk-size') {
      const line = takeLine('\r\n')
      if (!line) return held.length > 20 ? fail(held) : false
      const size = /^([\da-f]+)(?:;.*)?\r\n$/i.exec(line.toString('latin1'))?.[1]
      if (size === undefined) return fail(line)
      parts.onBody(nothing, line)
      state = Number.parseInt(size, 16) || 'trailer'
      return held.length > 0
    }
    if (state === 'chunk-end' || state === 'trailer') {
      const line = takeLine('\r\n')
      if (!line) return false
      if (state === 'chunk-end' && line.length > 2) return fail(line)
      parts.onBody(nothing, line)
      if (state === 'chunk-end') state = 'chunk-size'
      else if (line.length === 2) return endBody()
      return held.length > 0
    }
    const bytes = take(state)
    state -= bytes.length
    parts.onBody(bytes, bytes)
    if (state > 0) return false
    if (!isChunked) return endBody()
    state = 'chunk-end'
    return held.length > 0
  }

  return {
    read(chunk) {
      held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
      while (step());
    },
  }
}

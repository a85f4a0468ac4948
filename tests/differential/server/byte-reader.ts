import type { Readable } from 'node:stream'

/** Reads the bytes of a connection in parts that the reader asks for. */
export class ByteReader {
  #bytes = Buffer.alloc(0)
  #hasEnded = false
  #wake = (): void => {}

  constructor(stream: Readable) {
    stream.on('data', (bytes) => {
      this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
      this.#wake()
    })
    const end = (): void => {
      this.#hasEnded = true
      this.#wake()
    }
    stream.on('end', end).on('close', end).on('error', end)
  }

  /** The bytes that were received and not taken yet. */
  get waiting(): Buffer {
    return this.#bytes
  }

  /** Takes some of the bytes that wait. */
  take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  /** Waits for more bytes; resolves to `false` if there are none within a time, or ever. */
  async more(idleMs: number): Promise<boolean> {
    const before = this.#bytes.length
    if (!this.#hasEnded) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#bytes.length > before
  }

  /** Takes the bytes up to a mark and with it, or `undefined` if the mark does not come. */
  async until(mark: string, idleMs: number): Promise<Buffer | undefined> {
    for (let from = 0; ;) {
      const at = this.#bytes.indexOf(mark, from, 'latin1')
      if (at >= 0) return this.take(at + mark.length)
      from = Math.max(0, this.#bytes.length - mark.length)
      if (!(await this.more(idleMs))) return undefined
    }
  }

  /** Takes a number of bytes, or as many as come. */
  async exactly(length: number, idleMs: number): Promise<Buffer> {
    const parts: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (this.#bytes.length === 0 && !(await this.more(idleMs))) break
      const part = this.take(missing)
      missing -= part.length
      parts.push(part)
    }
    return Buffer.concat(parts)
  }
}

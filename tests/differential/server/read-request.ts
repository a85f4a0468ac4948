import type { ByteReader } from './byte-reader.ts'

/** The head of a request, as its bytes say. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** A body as it was framed, and what was wrong with that. */
export interface ReadBody {
  readonly bytes: Buffer
  readonly framing: 'none' | 'content-length' | 'chunked' | 'both'
  readonly isComplete: boolean
  readonly faults: readonly string[]
}

const requestLine = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/

/**
 * Reads the head of a request: `undefined` if the connection ends before one begins.
 *
 * @throws {Error} with bytes that are no request, for a message.
 */
export async function readHead(
  reader: ByteReader,
  idleMs: number,
): Promise<RequestHead | undefined> {
  while (reader.waiting.length === 0) if (!(await reader.more(idleMs))) return undefined
  const start = reader.waiting.subarray(0, 8).toString('latin1')
  const head = /^[A-Z]+(?: |$)/.test(start) ? await reader.until('\r\n\r\n', idleMs) : undefined
  if (!head) throw new Error(preview(reader.waiting))
  const [first = '', ...lines] = head.subarray(0, -4).toString('latin1').split('\r\n')
  const [, method, target] = requestLine.exec(first) ?? []
  const headers = lines.map((line) => headerLine.exec(line))
  if (!method || !target || headers.includes(null)) throw new Error(preview(head))
  return { method, target, headers: headers.map((parts) => [parts?.[1] ?? '', parts?.[2] ?? '']) }
}

/** Reads the body of a request by its head alone, as RFC 9112, section 6, has it. */
export async function readBody(
  reader: ByteReader,
  { headers }: RequestHead,
  idleMs: number,
): Promise<ReadBody> {
  const lengths = valuesOf(headers, 'content-length')
  const encodings = valuesOf(headers, 'transfer-encoding')
  const faults: string[] = []
  if (lengths.length > 1 || encodings.length > 1) faults.push('a framing header twice')
  if (encodings.length > 0) {
    if (encodings.some((value) => value.toLowerCase() !== 'chunked')) faults.push('no chunked')
    const { bytes, fault } = await readChunks(reader, idleMs)
    const framing = lengths.length > 0 ? 'both' : 'chunked'
    return {
      bytes,
      framing,
      isComplete: fault !== 'unfinished',
      faults: [...faults, ...(fault ? [fault] : [])],
    }
  }
  const [length] = lengths
  if (length === undefined) {
    return { bytes: Buffer.alloc(0), framing: 'none', isComplete: true, faults }
  }
  if (!/^\d+$/.test(length)) faults.push('a length that is no number')
  const bytes = await reader.exactly(Number(length), idleMs)
  const isComplete = bytes.length === Number(length)
  return { bytes, framing: 'content-length', isComplete, faults }
}

async function readChunks(
  reader: ByteReader,
  idleMs: number,
): Promise<{ readonly bytes: Buffer; readonly fault?: string }> {
  const parts: Buffer[] = []
  for (;;) {
    const line = await reader.until('\r\n', idleMs)
    const bytes = Buffer.concat(parts)
    if (!line) return { bytes, fault: 'unfinished' }
    const size = line.subarray(0, -2).toString('latin1')
    if (!/^[\da-f]{1,8}$/i.test(size)) return { bytes, fault: `chunk of size ${preview(line)}` }
    const length = Number.parseInt(size, 16)
    const chunk = await reader.exactly(length + 2, idleMs)
    if (chunk.length < length + 2) return { bytes, fault: 'unfinished' }
    if (chunk.subarray(length).toString('latin1') !== '\r\n') return { bytes, fault: 'chunk end' }
    if (length === 0) return { bytes }
    parts.push(chunk.subarray(0, length))
  }
}

function valuesOf(headers: RequestHead['headers'], wanted: string): string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []))
}

function preview(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 60).toString('latin1'))
}

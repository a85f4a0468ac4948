import { createHash } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { UsageError } from '../../exit.ts'
import { type Download, findTarget, openForWriting, putInPlace, writeChunk } from './download.ts'
import { type FetchResponse, headerOf } from './send.ts'

/** Facts of a download that broke off, kept beside the part of it. */
interface KeptFacts {
  /** A digest of the URL, whose query may be secret. */
  readonly url: string
  /** The version of the object: a strong entity tag, or a date. */
  readonly validator: string
  /** The size of the whole object. */
  readonly size: number
}

/** A part of a download that broke off. */
interface KeptPart {
  readonly facts: KeptFacts
  readonly offset: number
}

/**
 * Opens a download that goes on where it broke off last time: the part is `<file>.part`, and
 * `<file>.part.json` tells of which version of which object.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14
 */
export async function openResumable(file: string, url: URL): Promise<Download> {
  const target = await findTarget(file)
  if (target.isSpecial) throw new UsageError(`--continue: ${file} is no file that can be continued`)
  const part = `${target.path}.part`
  const record = `${part}.json`
  const digest = createHash('sha256').update(url.href).digest('hex')
  let kept = await readKept(part, record, digest)
  const offset = kept?.offset ?? 0
  const handle = await openForWriting(part, kept ? 'r+' : 'w', file)
  let position = offset
  /** The facts with which the part can be continued. */
  let facts = kept?.facts
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  const removeAll = async (): Promise<void> => {
    await rm(part, { force: true })
    await rm(record, { force: true })
  }
  const startAnew = async (): Promise<void> => {
    kept = undefined
    facts = undefined
    position = 0
    await rm(record, { force: true })
    await handle.truncate(0)
  }
  return {
    offset,
    headers: kept
      ? [
          ['range', `bytes=${offset}-`],
          ['if-range', kept.facts.validator],
        ]
      : [],
    async accept(response) {
      const { status } = response
      if (kept && (status === 206 || status === 416)) {
        const verdict = judgePart(response, kept)
        if (verdict === 'anew') await startAnew()
        return verdict
      }
      if (status >= 300) return 'refused'
      await startAnew()
      facts = readFacts(response, digest)
      if (facts) await writeFile(record, JSON.stringify(facts), { mode: 0o600 })
      return 'receive'
    },
    async write(chunk) {
      await writeChunk(handle, chunk, position, file)
      position += chunk.byteLength
    },
    async complete() {
      await putInPlace(handle, part, target, { file, close })
      await rm(record, { force: true })
    },
    async abandon() {
      await close()
      if (facts && position > 0) return `the same command goes on after ${position} bytes`
      await removeAll()
      return undefined
    },
  }
}

/** Decides about the response to a range, also of a server that heeds no `If-Range`. */
function judgePart(
  response: FetchResponse,
  { facts, offset }: KeptPart,
): 'receive' | 'anew' | 'complete' {
  const contentRange = headerOf(response, 'content-range') ?? ''
  if (response.status === 416) {
    return offset === facts.size && contentRange === `bytes */${facts.size}` ? 'complete' : 'anew'
  }
  const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange) ?? []
  const isRest = Number(first) === offset && Number(size) === facts.size
  return isRest && validatorOf(response) === facts.validator ? 'receive' : 'anew'
}

function readFacts(response: FetchResponse, url: string): KeptFacts | undefined {
  const validator = validatorOf(response)
  const size = headerOf(response, 'content-length')
  return validator !== undefined && size !== undefined && response.status === 200
    ? { url, validator, size: Number(size) }
    : undefined
}

/** Returns the text for `If-Range`, which takes no weak tag. */
function validatorOf(response: FetchResponse): string | undefined {
  const tag = headerOf(response, 'etag')
  return tag?.startsWith('"') ? tag : headerOf(response, 'last-modified')
}

async function readKept(part: string, record: string, url: string): Promise<KeptPart | undefined> {
  try {
    const facts: Partial<KeptFacts> | null = JSON.parse(await readFile(record, 'utf8'))
    const { size: offset } = await stat(part)
    const { validator, size } = facts ?? {}
    // No control character, as a header of its own would need.
    const isWhole = typeof validator === 'string' && /^[\x20-\x7E]+$/.test(validator)
    if (!isWhole || typeof size !== 'number' || facts?.url !== url) return undefined
    return offset > 0 && offset <= size ? { facts: { url, validator, size }, offset } : undefined
  } catch {
    // There is none, or it is not ours.
    return undefined
  }
}

import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../exit.ts'
import type { FetchOptions } from './fetch.options.ts'
import { type BlobBody, bytesBody, joinBodies, openFile } from './file-body.ts'
import { destroyStream, spool } from './spool.ts'

/** The body of a request. */
export interface RequestBody {
  /** A body that can be read again, or a pipe that is sent as it comes. */
  readonly content: BlobBody | NodeJS.ReadableStream
  readonly size: number | undefined
  /** The name to show while it is sent. */
  readonly name: string
  readonly close: () => Promise<void>
}

/** The circumstances in which a body is read. */
export interface BodyReading {
  readonly context: CommandContext
  readonly signal: AbortSignal
  /** `true` if the user tells the length, or asks for chunks: a pipe is sent as it comes. */
  readonly isFramed: boolean
}

/** The flags that give a body, of which a request has one. */
const bodyFlags = [
  ['data', '--data'],
  ['dataBinary', '--data-binary'],
  ['dataRaw', '--data-raw'],
  ['json', '--json'],
  ['uploadFile', '--upload-file'],
] as const

/** The flag that gives the body. */
export type BodyFlag = (typeof bodyFlags)[number][1]

/**
 * Returns the flag that gives the body, if there is one.
 *
 * @throws UsageError if there are several.
 */
export function findBodyFlag(options: FetchOptions): BodyFlag | undefined {
  const [flag, ...others] = bodyFlags.filter(([name]) => options[name] !== undefined)
  assertOneInput(options)
  if (others.length === 0) return flag?.[1]
  const flags = bodyFlags.map(([, name]) => name).join(', ')
  throw new UsageError(`only one of ${flags} can give the body`)
}

/** Throws if several flags read standard input, of which all but one would find nothing. */
function assertOneInput(options: FetchOptions): void {
  const { header = [], data = [], dataBinary = [], json = [], uploadFile } = options
  const inputs = [...header, ...data, ...dataBinary, ...json].filter((text) => text === '@-')
  if (inputs.length + (uploadFile === '-' ? 1 : 0) < 2) return
  throw new UsageError('standard input can be read only once; give a file for the other flag')
}

/** Opens the body of a request; `undefined` if it has none. */
export async function openBody(
  options: FetchOptions,
  reading: BodyReading,
): Promise<RequestBody | undefined> {
  const { uploadFile, json, dataRaw } = options
  if (uploadFile !== undefined) return openUpload(uploadFile, '--upload-file', reading)
  if (dataRaw) return bodyOfText(dataRaw.join('&'))
  const [parts, flag, separator] = json
    ? [json, '--json', '']
    : options.dataBinary
      ? [options.dataBinary, '--data-binary', '&']
      : [options.data, '--data', '&']
  if (!parts) return undefined
  if (parts.length === 1) return openData(parts[0] ?? '', flag, reading)
  const bodies: RequestBody[] = []
  for (const part of parts) bodies.push(await openData(part, flag, { ...reading, isFramed: false }))
  const contents = bodies.flatMap(({ content }, index) => {
    // With `isFramed` false no part is a pipe.
    const blob = content as BlobBody
    return index === 0 ? [blob] : [bytesBody(Buffer.from(separator)), blob]
  })
  const content = joinBodies(contents)
  return {
    content,
    size: content.size,
    name: 'data',
    close: async () => void (await Promise.all(bodies.map((body) => body.close()))),
  }
}

function openData(data: string, flag: string, reading: BodyReading): Promise<RequestBody> {
  return data.startsWith('@')
    ? openUpload(data.slice(1), flag, reading)
    : Promise.resolve(bodyOfText(data))
}

function bodyOfText(text: string): RequestBody {
  const content = bytesBody(Buffer.from(text))
  return { content, size: content.size, name: 'data', close: async () => {} }
}

async function openUpload(
  file: string,
  flag: string,
  { context, signal, isFramed }: BodyReading,
): Promise<RequestBody> {
  if (file === '') throw new UsageError(`${flag} names no file`)
  const isInput = file === '-'
  const place = isInput ? `${flag} (standard input)` : `${flag} ${file}`
  const name = isInput ? 'standard input' : basename(file)
  const opened = isInput ? undefined : await openFile(file, place)
  if (opened) {
    const { body: content, close } = opened
    return { content, size: content.size, name, close }
  }
  const pipe = isInput ? context.stdin : createReadStream(file)
  // A pipe that nobody ends would keep the process.
  const end = (): void => destroyStream(pipe)
  if (isFramed) {
    return { content: pipe, size: undefined, name, close: async () => end() }
  }
  try {
    const { body: content, close } = await spool(pipe, { signal, place })
    return { content, size: content.size, name, close }
  } finally {
    end()
  }
}

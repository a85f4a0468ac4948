import { createReadStream, openAsBlob, writeFileSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import type { OddCase } from './plan.ts'
import { throwingObject, throwingProxy } from './throwing.ts'

/** A body of a case, with what is known of it. */
export interface OddBody {
  readonly value: unknown
  /** The `content-length` that a case announces. */
  readonly announced?: number
  /** The length of what must arrive, where the body is a good one. */
  readonly expected?: number
  /** Tells what was not released, once the call is over. */
  readonly left?: () => string[]
  /** Ends what the case itself keeps busy. */
  readonly end?: () => void
}

const text = 'some text, and ümlauts '.repeat(8)
const bytes = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length).fill(97)

/** Makes the body of a case. Files stand in the folder. */
export async function bodyOf({ body, detail }: OddCase, folder: string): Promise<OddBody> {
  const size = 1 + (detail % 100_000)
  if (body.startsWith('node')) return nodeBody(body, size, folder)
  if (body.startsWith('web')) return webBody(body, size)
  if (body.startsWith('generator')) return { value: generator(body) }
  switch (body) {
    case 'none':
      return { value: undefined }
    case 'text':
      return { value: text, expected: Buffer.byteLength(text) }
    case 'long-text':
      return { value: 'x'.repeat(300_000), expected: 300_000 }
    case 'bytes':
      return { value: bytes(size), expected: size }
    case 'buffer':
      return { value: Buffer.from(bytes(size)), expected: size }
    case 'array-buffer':
      return { value: bytes(size).buffer }
    case 'uint16':
      return { value: new Uint16Array(7) }
    case 'search-params':
      return { value: new URLSearchParams({ a: 'b c', d: text }) }
    case 'plain-object':
      return { value: { a: 1, b: [2, { c: 3 }] } }
    case 'blob':
      return { value: new Blob([bytes(size)]) }
    case 'large-blob':
      return { value: new Blob([bytes(1_500_000)]), expected: 1_500_000 }
    case 'form':
      return { value: formOf(text) }
    case 'large-form':
      return { value: formOf(new Blob([bytes(1_500_000)])) }
    case 'file':
      return { value: await openAsBlob(fileIn(folder, size)), expected: size }
    case 'form-with-file':
      return { value: formOf(await openAsBlob(fileIn(folder, size))) }
    case 'changed-file': {
      const path = fileIn(folder, size)
      const value = await openAsBlob(path)
      writeFileSync(path, bytes(size + 1))
      return { value }
    }
    case 'shared-bytes':
      return { value: new Uint8Array(new SharedArrayBuffer(size)) }
    case 'detached-bytes': {
      const value = bytes(size)
      structuredClone(value, { transfer: [value.buffer] })
      return { value }
    }
    case 'iterator':
      return { value: [bytes(3), bytes(4)].values() }
    case 'function':
      return { value: () => text }
    case 'symbol':
      return { value: Symbol('body') }
    case 'number':
      return { value: size }
    case 'throwing-object':
      return { value: throwingObject() }
    case 'proxy':
      return { value: throwingProxy() }
    case 'null':
      return { value: null }
  }
  throw new Error(`there is no body ${body}`)
}

function formOf(value: string | Blob): FormData {
  const form = new FormData()
  if (typeof value === 'string') form.append('text "quoted"', value)
  else form.append('file', value, 'name\r\n"odd".bin')
  return form
}

function fileIn(folder: string, size: number): string {
  const path = `${folder}/body-${process.pid}.bin`
  writeFileSync(path, bytes(size))
  return path
}

function nodeBody(body: OddCase['body'], size: number, folder: string): OddBody {
  const chunk = bytes(Math.min(size, 5000))
  const released = (value: Readable): OddBody => ({
    value,
    left: () => (value.destroyed || value.readableEnded ? [] : ['a Node stream that is open']),
    end: () => void value.on('error', () => {}).destroy(),
  })
  const giving = (...chunks: unknown[]): Readable => Readable.from(chunks)
  const ended = { expected: chunk.byteLength * 2 }
  switch (body) {
    case 'node-file':
      return { ...released(createReadStream(fileIn(folder, size))), expected: size }
    case 'node-missing-file':
      return released(createReadStream(`${folder}/missing`))
    case 'node-fails-at-once':
      return released(failing(0))
    case 'node-fails-later':
      return released(failing(5 + (size % 60), chunk))
    case 'node-never':
      return released(new Readable({ read() {} }))
    case 'node-endless':
      return released(
        new Readable({
          read() {
            setImmediate(() => this.push(chunk))
          },
        }),
      )
    case 'node-destroyed':
      return { value: new PassThrough().destroy() }
    case 'node-errored': {
      const value = new PassThrough().on('error', () => {})
      return { value: value.destroy(new Error('it failed before')) }
    }
    case 'node-ended': {
      const value = giving(chunk)
      value.resume()
      return { value }
    }
    case 'node-objects':
      return released(giving({ a: 1 }, 7, chunk))
    case 'node-text':
      return released(giving('some ', 'text'))
    case 'node-longer':
      return {
        ...released(giving(chunk, Buffer.from('GET /surplus HTTP/1.1\r\nhost: a\r\n\r\n'))),
        announced: chunk.byteLength,
      }
    case 'node-shorter':
      return { ...released(giving(chunk)), announced: chunk.byteLength + 10 }
    case 'node-throwing-read':
      return released(
        new Readable({
          read() {
            throw new Error('it cannot be read')
          },
        }),
      )
    default:
      return { ...released(giving(chunk, Buffer.from(chunk))), ...ended }
  }
}

function failing(delayMs: number, chunk?: Uint8Array): Readable {
  const stream = new PassThrough()
  if (chunk) stream.write(chunk)
  const fail = (): void => void stream.destroy(new Error('it failed'))
  if (delayMs === 0) setImmediate(fail)
  else setTimeout(fail, delayMs)
  return stream
}

function webBody(body: OddCase['body'], size: number): OddBody {
  const chunk = bytes(Math.min(size, 5000))
  let isOver = false
  const made = (
    source: UnderlyingDefaultSource<unknown>,
    known: Omit<OddBody, 'value'> = {},
  ): OddBody => ({
    value: new ReadableStream<unknown>({
      ...source,
      cancel() {
        isOver = true
        if (body === 'web-throwing-cancel') throw new Error('it cannot be cancelled')
      },
    }),
    left: () => (isOver ? [] : ['a web stream that is open']),
    ...known,
  })
  const giving = (chunks: readonly unknown[], known?: Omit<OddBody, 'value'>): OddBody => {
    const left = [...chunks]
    return made(
      {
        pull(controller) {
          if (left.length > 0) {
            controller.enqueue(left.shift())
            return
          }
          isOver = true
          controller.close()
        },
      },
      known,
    )
  }
  const fail = (controller: ReadableStreamDefaultController<unknown>): void => {
    isOver = true
    controller.error(new Error('it failed'))
  }
  switch (body) {
    case 'web-fails-at-once':
      return made({ start: fail })
    case 'web-fails-later':
      return made({
        start(controller) {
          controller.enqueue(chunk)
          setTimeout(() => isOver || fail(controller), 5 + (size % 60))
        },
      })
    case 'web-never':
    case 'web-throwing-cancel':
      return made({ pull: () => new Promise(() => {}) })
    case 'web-endless':
      return made({
        async pull(controller) {
          await new Promise(setImmediate)
          if (!isOver) controller.enqueue(chunk.slice())
        },
      })
    case 'web-locked': {
      const { value } = giving([chunk])
      // It was made here.
      ;(value as ReadableStream).getReader()
      return { value }
    }
    case 'web-used': {
      const { value } = giving([chunk])
      const reader = (value as ReadableStream).getReader()
      void reader.read().then(() => reader.releaseLock())
      return { value }
    }
    case 'web-text':
      return giving(['some ', 'text'])
    case 'web-objects':
      return giving([{ a: 1 }, 7])
    case 'web-longer':
      return giving([chunk, Buffer.from('GET /surplus HTTP/1.1\r\nhost: a\r\n\r\n')], {
        announced: chunk.byteLength,
      })
    case 'web-shorter':
      return giving([chunk], { announced: chunk.byteLength + 10 })
    case 'web-bytes':
      return { value: new Blob([chunk]).stream(), expected: chunk.byteLength }
    default:
      return giving([chunk, chunk.slice()], { expected: chunk.byteLength * 2 })
  }
}

async function* generator(body: OddCase['body']): AsyncGenerator {
  try {
    yield bytes(10)
    await new Promise(setImmediate)
    if (body === 'generator-throws') throw new Error('it failed')
    if (body === 'generator-never') await new Promise(() => {})
    if (body === 'generator-objects') yield { a: 1 }
    yield bytes(10)
  } finally {
    // oxlint-disable-next-line no-unsafe-finally -- a generator of anybody's may
    if (body === 'generator-throwing-return') throw new Error('it cannot be ended')
  }
}

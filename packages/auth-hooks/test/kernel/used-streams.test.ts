import { createRequire } from 'node:module'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { adapters, causes } from '../support/adapters.ts'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { streamFrom } from '../support/streams.ts'

/** A form of the package that axios uses. */
type Form = Readable & { append(name: string, value: unknown): void }
const PackagedForm = createRequire(import.meta.resolve('axios'))('form-data') as new () => Form

const bytes = Buffer.from('abc')

function packagedForm(value: unknown = 'of the form'): Form {
  const form = new PackagedForm()
  form.append('text', value)
  return form
}

async function readForm(form: Form): Promise<Form> {
  await buffer(form.pipe(new PassThrough()))
  return form
}

/** Streams of Node's that were used, and that no client takes for one that was not. */
const nodeStreams: [kind: string, make: () => unknown][] = [
  [
    'a stream of Node that was read to its end',
    async () => {
      const stream = Readable.from([bytes])
      await buffer(stream)
      return stream
    },
  ],
  ['a stream of Node that was destroyed', () => Readable.from([bytes]).destroy()],
]

/** What only `fetch` does not take: a part may have been read on purpose. */
const partlyRead: (typeof nodeStreams)[number] = [
  'a stream of Node of which a part was read',
  async () => {
    const stream = Readable.from([bytes, bytes])
    stream.once('data', () => stream.pause())
    await new Promise((resolve) => stream.once('pause', resolve))
    return stream
  },
]

const webStreams: [kind: string, make: () => unknown][] = [
  [
    'a web stream that was read to its end',
    async () => {
      const stream = streamFrom(bytes)
      const reader = stream.getReader()
      while (!(await reader.read()).done);
      reader.releaseLock()
      return stream
    },
  ],
  [
    'a web stream that was cancelled',
    async () => {
      const stream = streamFrom(bytes)
      await stream.cancel()
      return stream
    },
  ],
  [
    'a web stream that has a reader',
    () => {
      const stream = streamFrom(bytes)
      stream.getReader()
      return stream
    },
  ],
]

const forms: [kind: string, make: () => unknown][] = [
  ['a form of a package that was piped', () => readForm(packagedForm())],
  [
    'a form of a package with a stream, that was piped',
    () => readForm(packagedForm(Readable.from([bytes]))),
  ],
  [
    'a form of a package with a stream, that was destroyed',
    () => {
      const form = packagedForm(Readable.from([bytes]))
      form.destroy()
      return form
    },
  ],
]

const framings: [framing: string, headers: Record<string, string>][] = [
  ['with a length', { 'content-length': '3' }],
  ['without a length', {}],
]

/** Sends a body, and returns the messages of the error, with that of each cause. */
async function refusal(
  connect: (typeof adapters)[number][1],
  body: unknown,
  headers: Record<string, string>,
): Promise<string> {
  const server = await serve()
  const send = connect(recordingScheme([server.origin]))
  const error = await send(server.origin, { method: 'PUT', body, headers }).then(
    (status) => new Error(`status ${status}`),
    (thrown: unknown) => thrown,
  )
  expect(server.arrived).toEqual([])
  return causes(error)
    .map(({ message }) => message)
    .join('\n')
}

const used = /the stream was already read or destroyed, perhaps by an earlier attempt/
/** The words of a `fetch` that rejects it by itself, as when a `Request` is made of it. */
const usedByFetch = /disturbed or locked/

/** Those that are given a body as it is; the others are given a `Request` of it, which cannot be made. */
const own = adapters.filter(([name]) =>
  /^authFetch$|^authorizeRequest$|^authAxios|^authGot|request of undici/.test(name),
)
const byRequest = adapters.filter(
  ([name]) => !name.startsWith('light') && !own.some(([one]) => one === name),
)

describe.each(own)('%s rejects, and sends nothing of', (name, connect) => {
  const kinds = [
    // got has its own error for one that is no longer readable.
    ...(name.startsWith('authGot') ? [] : nodeStreams),
    ...webStreams,
    // The others take no such form at all.
    ...(/authAxios|authGot/.test(name) ? forms : []),
  ]
  describe.each(framings)('%s', (_framing, headers) => {
    // With a length, `fetch` is given a stream of ours.
    const isGivenToFetch = /^auth(?:Fetch|orizeRequest)$/.test(name) && !headers['content-length']
    const refused = isGivenToFetch ? [...kinds, partlyRead] : kinds
    test.each(refused)('%s', async (_kind, make) => {
      expect(await refusal(connect, await make(), headers)).toMatch(used)
    })
  })
})

describe.each(byRequest)('%s leaves it to fetch to reject', (_name, connect) => {
  test.each([...nodeStreams, partlyRead, ...webStreams])('%s', async (_kind, make) => {
    expect(await refusal(connect, await make(), {})).toMatch(usedByFetch)
  })
})

// `fetch` takes one that is at its end for an empty body, and axios makes JSON of it.
const withIterators = own.filter(([name]) => /^authGot|undici/.test(name))

describe.each(withIterators)('%s', (_name, connect) => {
  test.each(framings)('rejects an iterator that it has sent, %s', async (_framing, headers) => {
    const server = await serve()
    const send = connect(recordingScheme([server.origin]))
    const body = (async function* () {
      yield bytes
    })()
    expect(await send(server.origin, { method: 'PUT', body, headers })).toBe(200)
    expect(await refusal(connect, body, headers)).toMatch(used)
    expect(server.arrived.map((arrived) => arrived.body.toString())).toEqual(['abc'])
  })
})

// got takes only one that is still readable.
const withEmpty = adapters.filter(([name]) => !/^(?:light|authGot)/.test(name))

test.each(withEmpty)(
  '%s sends an empty stream that was read: nothing is missing',
  async (_name, connect) => {
    const server = await serve()
    const body = Readable.from([])
    await buffer(body)
    const send = connect(recordingScheme([server.origin]))
    expect(await send(server.origin, { method: 'PUT', body })).toBe(200)
  },
)

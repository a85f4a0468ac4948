import { parentPort, workerData } from 'node:worker_threads'
import * as fc from 'fast-check'
import type { Parser } from './parser.ts'
import { parsers } from './parsers.ts'

/** The task that a worker has with a parser. */
export interface Task {
  readonly parser: string
  readonly how:
    | { readonly kind: 'fuzz'; readonly seeds: readonly number[]; readonly durationMs: number }
    | { readonly kind: 'grow'; readonly length: number }
}

/** The result of a task. */
export interface FuzzReport {
  /** The failure that was found, for a person. */
  readonly failure: string | undefined
  /** The number of inputs that were tried. */
  readonly runs: number
}

/** Time that grows with the square of the length would be several seconds; in proportion it is little. */
const slowMs = 2000

/** So many inputs of each seed are tried, however little time there is. */
const batchRuns = 400

// Counts what was tried, so that others see whether it still moves. `Worker` gives what it was given.
const progress = workerData as Int32Array

parentPort?.on('message', (task: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  void perform(task).then((report) => parentPort?.postMessage(report))
})

async function perform({ parser: name, how }: Task): Promise<FuzzReport> {
  const before = Atomics.load(progress, 0)
  let failure: string | undefined
  try {
    const parser = parsers.find((one) => one.name === name)
    if (!parser) throw new Error(`there is no parser of ${name}`)
    if (how.kind === 'grow') await grow(parser, how.length)
    else for (const seed of how.seeds) await fuzz(parser, seed, how.durationMs / how.seeds.length)
  } catch (error) {
    failure = String(error).slice(0, 2000)
  }
  return { failure, runs: Atomics.load(progress, 0) - before }
}

async function run({ check }: Parser, text: string, describe: () => string): Promise<void> {
  Atomics.add(progress, 0, 1)
  let tookMs = await timeOf(() => check(text))
  // The machine may have been at something else.
  if (tookMs > slowMs) tookMs = await timeOf(() => check(text))
  if (tookMs > slowMs) throw new Error(`${describe()} took ${Math.round(tookMs)} ms`)
}

async function timeOf(check: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await check()
  return performance.now() - startedAt
}

/** Tries the samples, then texts of the grammar and samples that were changed. */
async function fuzz(one: Parser, seed: number, durationMs: number): Promise<void> {
  const token = fc.constantFrom(...one.tokens)
  const piece = fc.oneof(
    { weight: 6, arbitrary: token },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(token, fc.integer({ min: 2, max: 3000 }))
        .map(([text, count]) => text.repeat(count)),
    },
  )
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(12),
    piece,
  })
  const changed = fc
    .tuple(fc.constantFrom(...one.samples), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([sample, edits]) =>
      edits.reduce((text, { at, removed, piece: inserted }) => {
        const index = Math.floor(at * text.length)
        return text.slice(0, index) + inserted + text.slice(index + removed)
      }, sample),
    )
  const built = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))
  const property = fc.asyncProperty(fc.oneof(changed, built), (text) =>
    run(one, text, () => JSON.stringify(text.slice(0, 200))),
  )
  for (const sample of one.samples) await run(one, sample, () => JSON.stringify(sample))
  const endAt = performance.now() + durationMs
  // Batches are never interrupted, so that each follows from its seed, on a machine that is busy too.
  let batch = seed
  do {
    await fc.assert(property, { seed: batch, numRuns: batchRuns })
    batch += 1
  } while (performance.now() < endAt)
}

/** Repeats each piece of the grammar within each good text, up to a length. */
async function grow(one: Parser, length: number): Promise<void> {
  for (const sample of ['', ...one.samples]) {
    for (const token of one.tokens) {
      const pump = token.repeat(Math.ceil(length / token.length))
      for (const part of [0, 0.25, 0.5, 0.75, 1]) {
        const index = Math.floor(part * sample.length)
        const text = sample.slice(0, index) + pump + sample.slice(index)
        await run(
          one,
          text,
          () => `${JSON.stringify(token)} repeated at ${index} of ${JSON.stringify(sample)}`,
        )
        // A text that a pattern has to give up at the very end.
        await run(
          one,
          `${sample.slice(0, index)}a${pump}!`,
          () => `a, ${JSON.stringify(token)} repeated, !`,
        )
        if (sample === '') break
      }
    }
  }
}

import { atNight } from '../support/nightly.ts'
import type { Case } from './case.ts'

/** How many cases each client is compared in. */
export const casesPerClient: number = atNight(900, 110)

/**
 * The seed of all cases. A run by day repeats the same ones, so that it fails for a change alone; a night tries
 * others. `DIFFERENTIAL_SEED=1234` repeats a night.
 */
export const seed: number = Number(
  process.env['DIFFERENTIAL_SEED'] ?? atNight(Math.floor(Math.random() * 2 ** 32), 1),
)

/** An upload to a server whose response begins before it has read the body. */
export const largeUpload: Case = {
  method: 'PUT',
  body: '500 KB',
  framing: 'none',
  pace: 'around the body',
  status: 200,
  encoding: 'identity',
  redirect: 0,
  target: 'same',
  mode: 'follow',
  limit: 'none',
}

/** The uploads that are made one after the other. */
export const largeUploads: readonly Case[] = Array.from(
  { length: atNight(40, 8) },
  () => largeUpload,
)

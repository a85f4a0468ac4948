import { atNight } from '../support/nightly.ts'

/** How many cases each client is compared in. */
export const casesPerClient: number = atNight(850, 85)

/**
 * The seed of all cases. A run by day repeats the same ones, so that it fails for a change alone; a night tries
 * others. `DIFFERENTIAL_SEED=1234` repeats a night.
 */
export const seed: number = Number(
  process.env['DIFFERENTIAL_SEED'] ?? atNight(Math.floor(Math.random() * 2 ** 32), 1),
)

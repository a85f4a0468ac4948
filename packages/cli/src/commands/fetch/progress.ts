import type { CommandContext } from '../../context.ts'
import { printable } from '../../output/text.ts'

/** Shows on a terminal how far a transfer is. */
export interface Progress {
  /** Begins a part of it, such as the sending of a file. */
  start(label: string, total: number | undefined): void
  add(bytes: number): void
  /** Leaves the last line, if there was one. */
  end(): void
}

/** Whatever takes less is over before anybody reads of it. */
const delayMs = 1000
const intervalMs = 100

/**
 * Creates the progress of a command, on standard error. The progress bars of libraries are for steps: they
 * keep a timer, a raw keyboard and a cursor of their own, which a stream of bytes and Ctrl-C do without.
 */
export function createProgress(context: Pick<CommandContext, 'stderr' | 'clock'>): Progress {
  const { stderr, clock } = context
  let part = { label: '', total: undefined as number | undefined, done: 0 }
  const beganAt = clock()
  let paintedAt: number | undefined
  const paint = (now: number): void => {
    paintedAt = now
    const { label, total, done } = part
    const share = total ? ` of ${formatBytes(total)} (${Math.floor((done / total) * 100)} %)` : ''
    const line = `${label}  ${formatBytes(done)}${share}`
    stderr.write(`\r${line.slice(0, (stderr.columns ?? 80) - 1)}\u001B[K`)
  }
  return {
    start(label, total) {
      part = { label: printable(label), total, done: 0 }
    },
    add(bytes) {
      part.done += bytes
      const now = clock()
      if (now - (paintedAt ?? beganAt + delayMs - intervalMs) >= intervalMs) paint(now)
    },
    end() {
      if (paintedAt === undefined) return
      paint(clock())
      stderr.write('\n')
      paintedAt = undefined
    },
  }
}

/** Shows nothing. */
export const noProgress: Progress = { start() {}, add() {}, end() {} }

/** Writes a number of bytes for people. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 ? Math.round(value) : value.toFixed(value < 10 ? 2 : 1)} ${units[power]}`
}

import process from 'node:process'
import { inspect } from 'node:util'

/** Tells if a value warns of a trial feature of Node or undici, which is no fault of anyone's. */
const isExpected = (value: unknown): boolean =>
  value instanceof Error && value.name === 'ExperimentalWarning'

/** Listens for what a program that is well never hears of. */
export interface Watch {
  /** Returns what was heard since it was called last. */
  takeHeard(): string[]
  end(): void
}

/** Takes over what Node would end the process for, or print. */
export function watchProcess(): Watch {
  let heard: string[] = []
  const hear = (what: string) => (value: unknown) => {
    if (!isExpected(value)) heard.push(`${what}: ${inspect(value)}`)
  }
  const listeners = [
    ['unhandledRejection', hear('an unhandled rejection')],
    ['uncaughtException', hear('an uncaught exception')],
    ['warning', hear('a warning')],
  ] as const
  for (const [event, listener] of listeners) process.on(event, listener)
  return {
    takeHeard() {
      const taken = heard
      heard = []
      return taken
    },
    end() {
      for (const [event, listener] of listeners) process.off(event, listener)
    },
  }
}

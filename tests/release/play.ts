import { expect } from 'vitest'
import type { Consumer } from './consumer.ts'
import { firstSnippets } from './first-snippets.ts'
import { type Installer, installers } from './installers.ts'
import { openStage, type Stage } from './stage.ts'

/** The stage of a run of the tests, with the users that have come to it. */
export interface Play {
  readonly stage: Stage
  readonly consumers: Map<string, Consumer>
  open(): Promise<void>
  close(): Promise<void>
  /** Returns the user of an installer. */
  consumer(installer: string): Consumer
  /** Returns the latest versions in the registry. */
  latest(): Promise<string[]>
  /** Runs the first snippet of every README, and expects each to print what its README says. */
  runSnippets(consumer: Consumer): Promise<void>
}

/** The installers that are on this machine. */
export const installersHere: readonly Installer[] = installers.filter(({ isThere }) => isThere)

/** Makes a play whose stage is not open yet. */
export function createPlay(): Play {
  let stage: Stage | undefined
  const consumers = new Map<string, Consumer>()
  const opened = (): Stage => {
    if (!stage) throw new Error('the stage is not open')
    return stage
  }
  return {
    get stage() {
      return opened()
    },
    consumers,
    async open() {
      stage = await openStage()
    },
    async close() {
      await stage?.close()
    },
    consumer(installer) {
      const consumer = consumers.get(installer)
      if (!consumer) throw new Error(`nothing is installed with ${installer}`)
      return consumer
    },
    async latest() {
      return (await opened().published()).map(({ name, version }) => `${name}@${version}`)
    },
    async runSnippets(consumer) {
      const { service } = opened()
      const printed: Record<string, string> = {}
      for (const { readme, code } of firstSnippets) {
        printed[readme] = await consumer.run(code(service), 'other.mjs')
      }
      const promised = firstSnippets.map(({ readme, printed: text }) => [readme, text] as const)
      expect(printed).toEqual(Object.fromEntries(promised))
      service.arrived()
    },
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Asked, Listening, Question, Reply, ServiceReport } from './protocol.ts'

/** The emulator in a process of its own. */
export interface SoakService {
  readonly url: URL
  readonly strayUrl: URL
  ask(question: Exclude<Question, { ask: 'collect' }>): Promise<void>
  collect(): Promise<ServiceReport>
  close(): Promise<void>
}

interface Waiting {
  readonly resolve: (report: ServiceReport | undefined) => void
  readonly reject: (error: Error) => void
}

/** Starts the emulator, and another origin beside it. */
export async function startSoakService(): Promise<SoakService> {
  const entry = fileURLToPath(new URL('service-process.ts', import.meta.url))
  const child = fork(entry, { execArgv: ['--conditions=@svc/source'] })
  const exited = once(child, 'exit')
  const ended = new Error('the emulator has ended')
  const start: Promise<Listening[]> = once(child, 'message')
  const [listening] = await Promise.race([start, exited.then(() => [])])
  if (!listening) throw ended
  const waiting = new Map<number, Waiting>()
  child.on('message', ({ number, report }: Reply) => {
    waiting.get(number)?.resolve(report)
    waiting.delete(number)
  })
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(ended)
  })
  let count = 0
  const ask = (question: Question): Promise<ServiceReport | undefined> =>
    new Promise((resolve, reject) => {
      count += 1
      waiting.set(count, { resolve, reject })
      const asked: Asked = { number: count, question }
      child.send(asked)
    })
  return {
    url: new URL(listening.url),
    strayUrl: new URL(listening.strayUrl),
    async ask(question) {
      await ask(question)
    },
    async collect() {
      const report = await ask({ ask: 'collect' })
      if (!report) throw new Error('the emulator gave no report')
      return report
    },
    async close() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

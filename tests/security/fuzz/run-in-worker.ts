import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FuzzReport, Task } from './worker.ts'

/** For so long one input may take, on a machine that is busy. */
const stalledMs = 20_000

/** Runs tasks in a thread of its own, one after the other. */
export interface Runner {
  run(task: Task): Promise<FuzzReport>
  close(): Promise<void>
}

/**
 * Opens a thread, which is replaced where one input takes for ever: a pattern that backtracks can be
 * stopped in no other way.
 */
export function openRunner(): Runner {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const open = (): Worker =>
    new Worker(new URL('worker.ts', import.meta.url), {
      workerData: progress,
      execArgv: ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning'],
    })
  let worker = open()
  return {
    async run(task) {
      const before = Atomics.load(progress, 0)
      let count = before
      let movedAt = performance.now()
      const stalled = new AbortController()
      const watch = setInterval(() => {
        const now = Atomics.load(progress, 0)
        if (now !== count) movedAt = performance.now()
        count = now
        if (performance.now() - movedAt > stalledMs) stalled.abort()
      }, 250)
      try {
        const reported = once(worker, 'message', { signal: stalled.signal })
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
        worker.postMessage(task)
        const [report]: FuzzReport[] = await reported
        if (!report) throw new Error('the worker reported nothing')
        return report
      } catch (error) {
        if (!stalled.signal.aborted) throw error
        await worker.terminate()
        worker = open()
        const runs = count - before
        const failure = `input ${runs} of ${JSON.stringify(task)} did not end in ${stalledMs} ms`
        return { failure, runs }
      } finally {
        clearInterval(watch)
      }
    },
    async close() {
      await worker.terminate()
    },
  }
}

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Report, Task } from './worker.ts'

/** For so long one input may take, on a machine that is busy. */
const stalledMs = 20_000

/**
 * Runs a task in a thread of its own, which is ended where one input takes for ever: a pattern that
 * backtracks can be stopped in no other way.
 */
export async function runInWorker(task: Omit<Task, 'progress'>): Promise<Report> {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { ...task, progress } satisfies Task,
    execArgv: ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning'],
  })
  let runs = 0
  let movedAt = performance.now()
  const stalled = new AbortController()
  const watch = setInterval(() => {
    const now = Atomics.load(progress, 0)
    if (now !== runs) movedAt = performance.now()
    runs = now
    if (performance.now() - movedAt > stalledMs) stalled.abort()
  }, 250)
  try {
    const [report]: Report[] = await once(worker, 'message', { signal: stalled.signal })
    if (!report) throw new Error('the worker reported nothing')
    return report
  } catch (error) {
    if (!stalled.signal.aborted) throw error
    const failure = `input ${runs} of ${JSON.stringify(task)} did not end in ${stalledMs} ms`
    return { failure, runs, slowest: { input: failure, tookMs: stalledMs } }
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

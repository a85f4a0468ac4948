import process from 'node:process'
import type { Job } from './job.ts'

/** Runs a job in the process that was started for it: parameters in the arguments, the result on stdout. */
export async function report<Parameters, Result>(
  _job: Job<Parameters, Result>,
  run: (parameters: Parameters) => Promise<Result>,
): Promise<void> {
  // The runtime wrote it.
  const parameters = JSON.parse(process.argv[2] ?? '') as Parameters
  const result = await run(parameters)
  process.stdout.write(`${JSON.stringify(result)}\n`, () => {
    // A pool of connections, or a timer of a peer, would keep the process alive.
    process.exit()
  })
}

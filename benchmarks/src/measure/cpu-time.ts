import process from 'node:process'

/** Returns the CPU time of this process so far, threads of its runtime included, in nanoseconds. */
export function cpuTimeNs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1000
}

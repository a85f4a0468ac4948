import type { Profiler } from 'node:inspector'

/**
 * Returns the share of each file in the time of a profile, by the code that was running. Code of the
 * runtime (regular expressions, strings, promises) has no file and counts as `runtime`.
 */
export function sharesByFile({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Record<string, number> {
  const labels = new Map(nodes.map(({ id, callFrame }) => [id, label(callFrame)]))
  const times: Record<string, number> = {}
  let total = 0
  for (const [place, id] of samples.entries()) {
    const name = labels.get(id)
    const microseconds = timeDeltas[place] ?? 0
    if (name === undefined || name === '(idle)') continue
    times[name] = (times[name] ?? 0) + microseconds
    total += microseconds
  }
  return Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time / total]))
}

function label({ functionName, url }: Profiler.Profile['nodes'][number]['callFrame']): string {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(idle)') return functionName
  const file = /\/packages\/(.+)$/.exec(url)?.[1]?.replace(/\/(?:dist|src)\//, '/')
  if (file !== undefined) return file
  // The function of Node's binding behind `crypto.hash` has no file.
  const isCrypto = /^node:(?:internal\/)?crypto/.test(url) || functionName === 'oneShotDigest'
  return isCrypto ? 'node:crypto' : 'runtime'
}

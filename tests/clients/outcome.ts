import { setImmediate } from 'node:timers/promises'
import { type ClientUnderTest, type Connection, NotPossible } from './client.ts'
import { chainOf } from './expect.ts'
import { leakOf } from './leaks.ts'
import type { Scenario } from './scenario.ts'
import { type Service, startService } from './service/service.ts'

/** The outcome of a scenario for a client. */
export type ScenarioOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused'; readonly by: string }
  | { readonly kind: 'not possible'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: unknown }

const deadlineMs = 10_000

/** Runs a client through a scenario, with a service of its own. */
export async function outcomeOf(
  client: ClientUnderTest,
  scenario: Scenario,
): Promise<ScenarioOutcome> {
  const service = await startService(scenario)
  const connections: Connection[] = []
  const end = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${deadlineMs} ms`)), deadlineMs)
  })
  const run = scenario.run({
    ...service,
    connect(scheme, options = {}, guard) {
      const { ca } = service
      const connection = client.connect(scheme, {
        options,
        ...(ca !== undefined && { ca }),
        ...(guard && { guard }),
      })
      connections.push(connection)
      return connection
    },
    async until(isTrue) {
      while (!end.signal.aborted && !isTrue()) await setImmediate()
    },
    url: (path) => new URL(path, service.front.url),
  })
  try {
    const ending = await Promise.race([run, deadline]).then(
      () => ({ passed: true as const }),
      (error: unknown) => ({ passed: false as const, error }),
    )
    return judge(client, scenario, strayCredential(service) ?? ending)
  } finally {
    end.abort()
    clearTimeout(timer)
    for (const connection of connections) await connection.close?.()
    await service.close()
  }
}

function judge(
  { refuses, cannot }: ClientUnderTest,
  { name }: Scenario,
  end: { readonly passed: true } | { readonly passed: false; readonly error: unknown },
): ScenarioOutcome {
  const refusalName = refuses?.[name]
  const reason = cannot?.[name]
  if (end.passed) {
    if (refusalName === undefined && reason === undefined) return { kind: 'passed' }
    return {
      kind: 'failed',
      error: new Error('is listed as what the client does not come through'),
    }
  }
  const { error } = end
  if (error instanceof NotPossible) return { kind: 'not possible', reason: error.message }
  if (refusalName !== undefined && isNamed(error, refusalName)) {
    return { kind: 'refused', by: refusalName }
  }
  if (reason !== undefined) return { kind: 'not possible', reason }
  return { kind: 'failed', error }
}

/** Finds a credential that reached another origin: none ever may, whatever a scenario looks at. */
function strayCredential({
  strays,
  secrets,
}: Service): { passed: false; error: Error } | undefined {
  const isCredential = /^(?:x-svc-|x-amz-|authorization$|cookie$|proxy-authorization$)/
  for (const { headers, body } of strays.arrived) {
    const name = Object.keys(headers).find((candidate) => isCredential.test(candidate))
    const leak = name ?? leakOf([headers, body], secrets())
    if (leak !== undefined) {
      return { passed: false, error: new Error(`a credential reached another origin: ${leak}`) }
    }
  }
  return undefined
}

function isNamed(error: unknown, name: string): boolean {
  return chainOf(error).some((part) => part['name'] === name || part['code'] === name)
}

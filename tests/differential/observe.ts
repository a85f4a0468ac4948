import { setTimeout as pause } from 'node:timers/promises'
import { framingHeaders, makeBody } from './bodies.ts'
import type { Case } from './case.ts'
import type { Answer, Auth, Call, Client, OpenedClient } from './clients/client.ts'
import type { Arrived, Plan } from './server/plan.ts'
import type { RawServers } from './server/raw-server.ts'
import { paths } from './server/respond.ts'

/** The header that the scheme adds, and that the bare client is given. */
export const constantHeader = ['x-constant', 'the-same'] as const

/** The end of a call: its response or its error. */
export type Ending = { readonly answer: Answer } | { readonly error: unknown }

/** Everything that is known of one call, at its client and at the servers. */
export interface Observation {
  readonly id: string
  readonly ending: Ending
  /** The end of the GET that followed over the same connections. */
  readonly probe: Ending
  readonly arrived: readonly Arrived[]
  readonly begun: readonly string[]
  readonly stray: readonly string[]
}

/** How long a call may take, in ms, before it counts as one that never settles. */
const patienceMs = 10_000

let count = 0

/** Makes one call with the adapter of a client, or with the bare client, and watches it. */
export async function observe(
  client: Client,
  one: Case,
  servers: RawServers,
  side: 'ours' | 'bare',
): Promise<Observation> {
  count += 1
  const id = `n${String(count).padStart(7, '0')}`
  const plan = servers.expect(id, one)
  const opened = client.open(side === 'ours' ? authOf(one, servers) : undefined)
  const given = side === 'ours' ? {} : { [constantHeader[0]]: constantHeader[1] }
  const base = `${servers.origins.first}/${id}`
  const ending = await settle(opened, () => {
    const body = makeBody(one.body, id, client.Form)
    const headers = { 'x-own': 'of the caller', ...framingHeaders(one, body), ...given }
    const url = `${base}${paths.start}?q=1#part`
    return { url, method: one.method, headers, body: body.value, one }
  })
  const probe = await settle(opened, () => probeOf(`${base}${paths.probe}`, one, given))
  await opened.close()
  await quiet(plan)
  servers.forget(plan)
  const { arrived, begun, stray } = plan
  return { id, ending, probe, arrived, begun, stray }
}

function probeOf(url: string, one: Case, headers: Call['headers']): Call {
  const plain: Case = { ...one, body: 'none', limit: 'none', mode: 'follow' }
  return { url, method: 'GET', headers, body: undefined, one: plain }
}

function authOf(one: Case, { origins }: RawServers): Auth {
  const authorization = { scheme: 'constant', headers: [constantHeader] }
  return {
    options: one.target === 'allowed' ? { redirect: 'follow' } : {},
    scheme: {
      name: 'constant',
      covers: ({ origin }) => origin === origins.first || origin === origins.covered,
      // Most schemes are synchronous for nearly every request; both ways are taken.
      authorize: () => (one.status === 200 ? authorization : Promise.resolve(authorization)),
    },
  }
}

async function settle({ send }: OpenedClient, call: () => Call): Promise<Ending> {
  const late = new AbortController()
  const timeout = pause(patienceMs, undefined, { signal: late.signal }).then(
    () => ({ error: new Error(`no end within ${patienceMs} ms`) }),
    () => ({ error: undefined }),
  )
  try {
    // A client may throw at once.
    const sent = (async () => send(call()))().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    return await Promise.race([sent, timeout])
  } finally {
    late.abort()
  }
}

/** Waits until the servers have read what was sent to the end. */
async function quiet({ sockets }: Plan): Promise<void> {
  for (let n = 0; n < 200 && sockets.size > 0; n += 1) await pause(n < 10 ? 1 : 10)
}

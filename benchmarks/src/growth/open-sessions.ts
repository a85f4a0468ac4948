import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Fetch } from '@svc/types'
import { report } from '../jobs/report.ts'
import { respondAtOnce } from '../requests/respond-at-once.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { collectedHeapBytes } from '../memory/collected-heap.ts'
import { type GrowthCurve, sessionsJob } from './growth-job.ts'

const baseUrl = 'https://search.example.com'
const callers = [1, 2000, 4000, 6000, 8000, 10_000]
/** The requests that are timed among so many users. */
const timedRequests = 5000

await report(sessionsJob, async ({ rounds, users }) => {
  const sizes = [1, ...[1, 2, 3, 4, 5].map((fifth) => (users * fifth) / 5)]
  // Nobody pays for the compiler because it happens to be the first.
  await openSessions([1, 2000])
  await storm(2000)
  const storms: number[][] = callers.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, count] of callers.entries()) storms[place]?.push(await storm(count))
  }
  const sessions = await openSessions(sizes)
  const curve = (name: string, quantity: GrowthCurve['quantity'], values: number[]) => ({
    name,
    unit: 'users',
    sizes,
    quantity,
    rounds: values.map((value) => [value]),
  })
  return [
    { name: 'one login', unit: 'callers', sizes: callers, quantity: 'µs', rounds: storms },
    curve('sessions opened, CPU', 'µs', sessions.cpuUs),
    curve('sessions opened, heap', 'bytes', sessions.heapBytes),
    curve('a request of one of so many', 'µs', sessions.requestUs),
  ] satisfies GrowthCurve[]
})

/** Returns the CPU time until so many callers have the token of one login. */
async function storm(count: number): Promise<number> {
  const auth = createTokenAuth({
    baseUrl,
    credentials: { username: `user of ${count}`, password: 'not-a-secret' },
    session: 'own',
    fetch: respondAtOnce,
  })
  const before = cpuTimeNs()
  await Promise.all(Array.from({ length: count }, () => auth.getToken()))
  return (cpuTimeNs() - before) / 1000
}

interface OpenSessions {
  /** Until so many are open, by size. */
  readonly cpuUs: number[]
  readonly heapBytes: number[]
  /** Of one request, by size. */
  readonly requestUs: number[]
}

/** Opens sessions, each for a user of its own, and measures at each of the sizes. */
async function openSessions(sizes: readonly number[]): Promise<OpenSessions> {
  const opened: OpenSessions = { cpuUs: [], heapBytes: [], requestUs: [] }
  const senders: Fetch[] = []
  const heapBefore = collectedHeapBytes()
  let cpuNs = 0
  for (const size of sizes) {
    const before = cpuTimeNs()
    while (senders.length < size) {
      const credentials = { username: `user ${senders.length}`, password: 'not-a-secret' }
      const auth = createTokenAuth({ baseUrl, credentials, fetch: respondAtOnce })
      await auth.getToken()
      senders.push(authFetch(auth, { fetch: respondAtOnce }))
    }
    cpuNs += cpuTimeNs() - before
    opened.cpuUs.push(cpuNs / 1000)
    opened.heapBytes.push(collectedHeapBytes() - heapBefore)
    const sendingSince = cpuTimeNs()
    for (let sent = 0; sent < timedRequests; sent += 1) {
      // Far apart, so that hardly two in a row are the same user's.
      await senders[(sent * 7919) % size]?.(`${baseUrl}/user/groups`)
    }
    opened.requestUs.push((cpuTimeNs() - sendingSince) / 1000 / timedRequests)
  }
  return opened
}

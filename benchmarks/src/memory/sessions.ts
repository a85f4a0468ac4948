import { authFetch, createTokenAuth } from '@svc/auth-token'
import type { Fetch } from '@svc/types'
import { report } from '../jobs/report.ts'
import { respondAtOnce } from '../requests/respond-at-once.ts'
import { collectedHeapBytes } from './collected-heap.ts'
import { sessionsJob } from './memory-jobs.ts'

const baseUrl = 'https://search.example.com'

await report(sessionsJob, async ({ users }) => {
  const senders: Fetch[] = []
  const open = async (count: number): Promise<void> => {
    const end = senders.length + count
    while (senders.length < end) {
      const credentials = { username: `user ${senders.length}`, password: 'not-a-secret' }
      const auth = createTokenAuth({ baseUrl, credentials, fetch: respondAtOnce })
      await auth.getToken()
      senders.push(authFetch(auth, { fetch: respondAtOnce }))
    }
  }
  // Not measured: code and caches of the first use.
  await open(100)
  const before = collectedHeapBytes()
  await open(users)
  const grown = collectedHeapBytes() - before
  // They are in use until here.
  await senders.at(-1)?.(`${baseUrl}/user/groups`)
  return grown / users
})

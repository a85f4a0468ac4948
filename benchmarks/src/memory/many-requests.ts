import { authFetch } from '@svc/auth-hooks'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { paths, selectorScheme } from '../requests/schemes.ts'
import { collectedHeapBytes } from './collected-heap.ts'
import { requestsMemoryJob } from './memory-jobs.ts'

const concurrency = 16

await report(requestsMemoryJob, async ({ url, sender, requests }) => {
  const { username, password } = defaultUsers[0]
  const user = { username, password }
  const scheme = selectorScheme({ baseUrl: url, user, apiKey: defaultApiKeys[0] })
  const send = sender === 'fetch alone' ? fetch : authFetch(scheme)
  const sendMany = async (count: number): Promise<void> => {
    let started = 0
    const sendInTurn = async (): Promise<void> => {
      while (started < count) {
        started += 1
        const path = started % 2 === 0 ? paths.token : paths.signature
        // Each has a URL of its own, so that anything kept by URL would show.
        await (await send(`${url}${path}?request=${started}`)).arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, sendInTurn))
  }
  await sendMany(2000)
  const before = collectedHeapBytes()
  await sendMany(requests)
  return collectedHeapBytes() - before
})

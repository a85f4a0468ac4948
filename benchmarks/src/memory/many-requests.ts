import { authFetch } from '@svc/auth-hooks'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { respondAtOnce } from '../requests/respond-at-once.ts'
import { paths, selectorScheme } from '../requests/schemes.ts'
import { collectedHeapBytes } from './collected-heap.ts'
import { parts, requestsMemoryJob } from './memory-jobs.ts'

const concurrency = 16

await report(requestsMemoryJob, async ({ url, sender, requests }) => {
  const { username, password } = defaultUsers[0]
  const baseUrl = url ?? 'https://search.example.com'
  const inner = url === undefined ? respondAtOnce : fetch
  const service = { baseUrl, user: { username, password }, apiKey: defaultApiKeys[0] }
  const scheme = selectorScheme({ ...service, fetch: inner })
  const send = sender === 'fetch alone' ? inner : authFetch(scheme, { fetch: inner })
  let sent = 0
  const sendMany = async (count: number): Promise<void> => {
    const end = sent + count
    const sendInTurn = async (): Promise<void> => {
      while (sent < end) {
        sent += 1
        const path = sent % 2 === 0 ? paths.token : paths.signature
        // Each has a URL of its own, so that anything kept by URL would show.
        await (await send(`${baseUrl}${path}?request=${sent}`)).arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, sendInTurn))
  }
  await sendMany(2000)
  const heaps = [collectedHeapBytes()]
  for (let part = 0; part < parts; part += 1) {
    await sendMany(requests / parts)
    heaps.push(collectedHeapBytes())
  }
  return heaps
})

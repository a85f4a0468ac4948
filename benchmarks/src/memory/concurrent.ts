import { authFetch } from '@svc/auth-hooks'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import { report } from '../jobs/report.ts'
import { paths, selectorScheme } from '../requests/schemes.ts'
import { collectedHeapBytes } from './collected-heap.ts'
import { concurrentJob, concurrentRequests } from './memory-jobs.ts'

const baseUrl = 'https://search.example.com'

await report(concurrentJob, async ({ sender }) => {
  // In process: ten thousand sockets are more than an operating system gives.
  let release = (): void => {}
  let held = new Promise<void>((resolve) => (release = resolve))
  const respond: Fetch = async () => {
    await held
    return new Response(null)
  }
  const { username, password } = defaultUsers[0]
  const scheme = selectorScheme({
    baseUrl,
    user: { username, password },
    apiKey: defaultApiKeys[0],
  })
  const send = sender === 'fetch alone' ? respond : authFetch(scheme, { fetch: respond })
  const sendAll = (count: number): Promise<Response>[] =>
    Array.from({ length: count }, (_, at) => send(`${baseUrl}${paths.signature}?request=${at}`))

  const first = sendAll(100)
  release()
  await Promise.all(first)
  held = new Promise<void>((resolve) => (release = resolve))

  const before = collectedHeapBytes()
  const underWay = sendAll(concurrentRequests)
  // By then all of them have reached the inner fetch.
  await new Promise((resolve) => setTimeout(resolve, 500))
  const grown = collectedHeapBytes() - before
  release()
  await Promise.all(underWay)
  return grown
})

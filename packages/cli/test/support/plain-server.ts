import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../../../tests/support/loopback.ts'

/** Starts a server that verifies nothing, with the environment variables that lead to it. */
export async function startPlainServer(listener: RequestListener, path = '') {
  const server = await listenOnLoopback(createServer(listener))
  onTestFinished(() => server.close())
  const env: Record<string, string> = {
    SVC_AUTH_BASE_URL: `${server.url.origin}${path}`,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    SVC_AUTH_SECRET_ACCESS_KEY: 'a-secret-access-key',
  }
  return { env, origin: server.url.origin }
}

import { onTestFinished } from 'vitest'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'

/** Starts an emulator, with the environment variables of its first user and key. */
export async function startService() {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const [apiKey] = defaultApiKeys
  const [user] = defaultUsers
  const env: Record<string, string> = {
    SVC_AUTH_BASE_URL: server.baseUrl,
    SVC_AUTH_REGION: 'us-east-1',
    SVC_AUTH_ACCESS_KEY_ID: apiKey.accessKeyId,
    SVC_AUTH_SECRET_ACCESS_KEY: apiKey.secretAccessKey,
    SVC_AUTH_USERNAME: user.username,
    SVC_AUTH_PASSWORD: user.password,
    SVC_AUTH_KEYRING: 'off',
  }
  return { emulator, env }
}

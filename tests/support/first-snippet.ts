import { createEmulator } from '@svc/emulator'
import { readSnippets } from './readme-snippets.ts'

/** The first snippet of the README, with an emulator that it talks to. */
export interface FirstSnippet {
  readonly code: string
  /** The secrets that it reads from its environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Returns what was sent since the last time, with the statuses of the responses. */
  sent(): readonly string[]
  close(): Promise<void>
}

/** The requests of one run of the snippet. */
export const firstRequests = [
  'POST /user/login 200',
  'GET /user/groups 200',
  'PUT /V1/reports/a%20b.csv 200',
]

/** Starts an emulator that knows the account of the snippet. */
export async function startFirstSnippet(): Promise<FirstSnippet> {
  const [snippet] = readSnippets('README.md')
  if (!snippet) throw new Error('README.md has no snippet')
  const [password, secretAccessKey] = ['not-a-secret-password', 'not-a-secret-key']
  const emulator = createEmulator({
    users: [{ username: 'reader@example.com', password }],
    apiKeys: [{ accessKeyId: 'AKIDREADER', secretAccessKey }],
  })
  const service = await emulator.listen()
  return {
    code: snippet.code.replace("'https://search.example.com'", `'${service.url.origin}'`),
    environment: { SVC_PASSWORD: password, SVC_SECRET_KEY: secretAccessKey },
    sent() {
      const lines = emulator.requests.map(
        ({ method, path, status }) => `${method} ${path} ${status}`,
      )
      emulator.reset()
      return lines
    },
    close: () => service.close(),
  }
}

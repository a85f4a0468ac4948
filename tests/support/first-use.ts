import { createEmulator } from '@svc/emulator'

/** An emulator that knows the account of the README's first snippet. */
export interface FirstService {
  readonly url: string
  /** The secrets of the account, as the snippet reads them from its environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Returns what arrived since the last time, with the statuses of the responses. */
  arrived(): readonly string[]
  close(): Promise<void>
}

/** Starts the emulator. */
export async function startFirstService(): Promise<FirstService> {
  const [password, secretAccessKey] = ['not-a-secret-password', 'not-a-secret-key']
  const emulator = createEmulator({
    users: [{ username: 'reader@example.com', password }],
    apiKeys: [{ accessKeyId: 'AKIDREADER', secretAccessKey }],
  })
  const service = await emulator.listen()
  return {
    url: service.url.origin,
    environment: { SVC_PASSWORD: password, SVC_SECRET_KEY: secretAccessKey },
    arrived() {
      const lines = emulator.requests.map(
        ({ method, path, status }) => `${method} ${path} ${status}`,
      )
      emulator.reset()
      return lines
    },
    close: () => service.close(),
  }
}

/** Puts a service of ours in place of the one of a snippet. */
export function atService(code: string, { url }: FirstService): string {
  return code.replace("'https://search.example.com'", `'${url}'`)
}

/** The requests of one run of the snippet. */
export const firstRequests: readonly string[] = [
  'POST /user/login 200',
  'GET /user/groups 200',
  'PUT /V1/reports/a%20b.csv 200',
]

import { createEmulator } from '@svc/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { encodedForms } from '../../../tests/support/encoded-forms.ts'
import { emptyFolder } from './support/folder.ts'
import { runCommand } from './support/run-command.ts'

const secrets = {
  password: 'Pass-5kQ2vW9xZ7',
  secretAccessKey: 'Secret-8fJ3mN6bT1',
  sessionToken: 'Session-4hL7pR2cY9',
}
const user = { username: 'reader@example.com', password: secrets.password }
const apiKey = {
  accessKeyId: 'AKIDREADER',
  secretAccessKey: secrets.secretAccessKey,
  sessionToken: secrets.sessionToken,
}

const lines = [
  ['login'],
  ['fetch', '/user/groups', '-v'],
  ['fetch', '/V1/a?key=value', '-v', '-i'],
  ['fetch', '-X', 'PUT', '-d', 'text', '/V1/a', '-v', '--fail'],
  ['fetch', 'https://elsewhere.example/V1/a'],
  ['diagnose', '/V1/a'],
  ['diagnose', '/user/groups'],
  ['diagnose', '--probe', '/V1/a'],
  ['diagnose', '--json', '/V1/a'],
  ['doctor', '--online'],
  ['profile', 'list'],
  ['logout'],
]

/** What the service may do, beside what it should. */
const faults = [
  undefined,
  { status: 401 },
  { status: 403 },
  { status: 500, body: 'no JSON' },
  { drop: true },
  { status: 200, body: '{"Token":5}' },
  { status: 302, headers: { location: 'https://elsewhere.example/?a=b' } },
] as const

test.each(faults)(
  'no command shows a secret, its token or its key, if the service does %j',
  async (fault) => {
    const emulator = createEmulator({ users: [user], apiKeys: [apiKey] })
    const service = await emulator.listen()
    onTestFinished(() => service.close())
    if (fault) emulator.fault(fault)
    const outside = {
      home: await emptyFolder(),
      env: {
        SVC_AUTH_BASE_URL: service.baseUrl,
        SVC_AUTH_REGION: 'us-east-1',
        SVC_AUTH_USERNAME: user.username,
        SVC_AUTH_PASSWORD: secrets.password,
        SVC_AUTH_ACCESS_KEY_ID: apiKey.accessKeyId,
        SVC_AUTH_SECRET_ACCESS_KEY: secrets.secretAccessKey,
        SVC_AUTH_SESSION_TOKEN: secrets.sessionToken,
      },
    }
    const shown: string[] = []
    for (const line of lines) {
      const { stdout, stderr } = await runCommand(line, outside)
      shown.push(stdout, stderr)
    }
    const text = shown.join('\n').toLowerCase()
    const forms = Object.values(secrets).flatMap((secret) => encodedForms(secret))
    expect(forms.filter((form) => text.includes(form.toLowerCase()))).toEqual([])
    expect(text).not.toMatch(/eyj[\w-]{10,}\.[\w-]+\.[\w-]+/)
    // A whole signature is a credential too.
    expect(text).not.toMatch(/signature[=:] ?[0-9a-f]{64}/)
  },
)

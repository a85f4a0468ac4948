// Signs with a profile of ~/.aws/credentials, here one that assumes a role with the key of another.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromIni } from '@aws-sdk/credential-providers'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator } from '@svc/emulator'
import { startSts } from './stand-ins/sts.ts'

// Stand in for the service and for AWS's token service: you need neither these lines nor clientConfig.
const key = { accessKeyId: 'ASIAREADER', secretAccessKey: 'not-a-secret', sessionToken: 'session' }
const service = await createEmulator({ apiKeys: [key] }).listen()
const sts = await startSts(() => ({ ...key, expiration: new Date(Date.now() + 3_600_000) }))

// Stands in for ~/.aws/credentials.
const folder = await mkdtemp(join(tmpdir(), 'profile-'))
const filepath = join(folder, 'credentials')
const profiles = [
  '[app]',
  'aws_access_key_id = AKIDAPP',
  'aws_secret_access_key = not-a-secret-either',
  '[reader]',
  'role_arn = arn:aws:iam::000000000000:role/reader',
  'source_profile = app',
]
await writeFile(filepath, profiles.join('\n'))

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  credentials: fromIni({
    profile: 'reader',
    filepath,
    configFilepath: filepath,
    clientConfig: { region: 'us-east-1', endpoint: sts.url },
  }),
})
const serviceFetch = authFetch(auth, { baseUrl: service.url })
const report = '/V1/reports/today.csv'
await serviceFetch(report, { method: 'PUT', body: 'a;b;c' })
console.log((await serviceFetch(report)).status, sts.actions.join())

sts.close()
await service.close()
await rm(folder, { recursive: true })

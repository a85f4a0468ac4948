// Signs with a role that a token in a file stands for, as pods of Kubernetes and CI jobs have it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromTokenFile } from '@aws-sdk/credential-providers'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator } from '@svc/emulator'
import { startSts } from './stand-ins/sts.ts'

// Stand in for the service and for AWS's token service: you need neither these lines nor clientConfig.
const key = { accessKeyId: 'ASIAREADER', secretAccessKey: 'not-a-secret', sessionToken: 'session' }
const service = await createEmulator({ apiKeys: [key] }).listen()
const sts = await startSts(() => ({ ...key, expiration: new Date(Date.now() + 3_600_000) }))

// Your platform writes the file and sets these.
const folder = await mkdtemp(join(tmpdir(), 'identity-'))
await writeFile(join(folder, 'token'), 'a-token-of-the-platform')
process.env['AWS_WEB_IDENTITY_TOKEN_FILE'] = join(folder, 'token')
process.env['AWS_ROLE_ARN'] = 'arn:aws:iam::000000000000:role/reader'

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  // Asked once, however many requests wait, and again 5 minutes before the key it returned expires.
  credentials: fromTokenFile({ clientConfig: { region: 'us-east-1', endpoint: sts.url } }),
})
const serviceFetch = authFetch(auth, { baseUrl: service.url })
const report = '/V1/reports/today.csv'
await serviceFetch(report, { method: 'PUT', body: 'a;b;c' })
const responses = await Promise.all(Array.from({ length: 30 }, () => serviceFetch(report)))
console.log(responses.filter(({ ok }) => ok).length, sts.actions.join())

sts.close()
await service.close()
await rm(folder, { recursive: true })

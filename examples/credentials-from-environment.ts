// Signs with the key that the environment holds, by the names that AWS's tools use.
import { fromEnv } from '@aws-sdk/credential-providers'
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator, defaultApiKeys } from '@svc/emulator'

// The emulator stands in for the service: use your environment's domain and region.
const service = await createEmulator().listen()

// You set these where you start the process, or your platform does.
process.env['AWS_ACCESS_KEY_ID'] = defaultApiKeys[0].accessKeyId
process.env['AWS_SECRET_ACCESS_KEY'] = defaultApiKeys[0].secretAccessKey

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  // As it is. It is asked again before AWS_CREDENTIAL_EXPIRATION, if that is set.
  credentials: fromEnv(),
})
const serviceFetch = authFetch(auth, { baseUrl: service.url })
const report = '/V1/reports/today.csv'
const { status } = await serviceFetch(report, { method: 'PUT', body: 'a;b;c' })
console.log(status, await (await serviceFetch(report)).text())

await service.close()

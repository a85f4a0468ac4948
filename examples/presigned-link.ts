// Makes a link that a colleague can open without credentials, for ten minutes.
import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { presign } from '@svc/auth-sigv4/presign'
import { createEmulator, defaultApiKeys } from '@svc/emulator'

// The emulator stands in for the service: use your environment's domain, region and key.
const service = await createEmulator().listen()
const report = new URL('/V1/reports/March & April.csv', service.url)

const auth = createSigV4Auth({
  baseUrl: service.url,
  region: 'us-east-1',
  credentials: defaultApiKeys[0],
})
const stored = await authFetch(auth)(report, { method: 'PUT', body: 'month;sum\n3;100\n4;120\n' })
if (!stored.ok) throw new Error(`PUT ${report.pathname}: ${stored.status}`)

// Anyone who has the link can send this one request: share it as you would a password.
const link = await presign(auth, report, { expiresInSeconds: 600 })
console.log(`expires in ${link.searchParams.get('X-Amz-Expires')} s`)

// The colleague: the plain fetch, or a browser.
const opened = await fetch(link)
console.log(opened.status, (await opened.text()).split('\n')[0])

// It allows nothing else: no other object, and no writing.
const other = new URL(link)
other.pathname = '/V1/reports/May.csv'
console.log((await fetch(other)).status, (await fetch(link, { method: 'DELETE' })).status)

// An upload link names its method, and the headers that must be sent exactly as given here.
const headers = { 'content-type': 'text/csv' }
const dropBox = await presign(auth, new URL('/V1/inbox/answer.csv', service.url), {
  method: 'PUT',
  headers,
  expiresInSeconds: 600,
})
console.log((await fetch(dropBox, { method: 'PUT', headers, body: 'yes' })).status)

await service.close()

import { authFetch, createServiceAuth } from '@svc/service-auth'
import { show } from '../support/chromium/show.ts'

// Put there by the bundler.
declare const service: {
  readonly baseUrl: string
  readonly user: { readonly username: string; readonly password: string }
  readonly apiKey: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

const { baseUrl, user, apiKey } = service
const auth = createServiceAuth({ baseUrl, user, apiKey, region: 'us-east-1' })
const send = authFetch(auth, { baseUrl })
const groups = await send('/user/groups')
const bodies = { text: 'a;b', bytes: new Uint8Array([0, 200, 13, 10]), blob: new Blob(['a;b']) }
const stored: Record<string, number[]> = {}
for (const [name, body] of Object.entries(bodies)) {
  await send(`/V1/${name} (1).csv`, { method: 'PUT', body })
  const read = await send(`/V1/${name} (1).csv`)
  stored[name] = [...new Uint8Array(await read.arrayBuffer())]
}
const dropped = await send('/V1/dropped').catch((error: unknown) => error instanceof TypeError)
const signal = AbortSignal.timeout(100)
const late = await send('/V1/late', { signal }).catch((error: unknown) => String(error))
show({ groups: groups.status, stored, dropped, late })

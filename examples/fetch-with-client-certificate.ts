// Presents a client certificate to the service (mutual TLS), by using your own fetch.
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import * as undici from 'undici'
import { startMutualTls } from './stand-ins/mutual-tls.ts'

// Node's fetch takes an undici 7 agent directly, but an undici 8 agent only in a wrapper.
type Wrapper = new (agent: undici.Dispatcher) => undici.Dispatcher
const { Dispatcher1Wrapper }: typeof undici & { Dispatcher1Wrapper?: Wrapper } = undici

// The emulator stands in for the service, and this server in front of it asks for a certificate.
const service = await createEmulator().listen()
const front = await startMutualTls(service.url)
const { url: baseUrl, key, cert, ca } = front

/** A fetch that sends through an agent. */
function fetchThrough(agent: undici.Agent): Fetch {
  const dispatcher = Dispatcher1Wrapper ? new Dispatcher1Wrapper(agent) : agent
  return (input, init) => {
    const throughAgent = { ...init, dispatcher }
    return fetch(input, throughAgent)
  }
}

// Texts in PEM: await readFile('client.key', 'utf8'). Without `ca`, the public authorities apply.
const agent = new undici.Agent({ connect: { key, cert, ca } })
const fetchWithCertificate = fetchThrough(agent)

const auth = createTokenAuth({
  baseUrl,
  credentials: defaultUsers[0],
  fetch: fetchWithCertificate, // sends the login
})
// Sends everything else.
const serviceFetch = authFetch(auth, { baseUrl, fetch: fetchWithCertificate })

const response = await serviceFetch('/user/groups')
console.log(response.status, 'with a certificate')

// Without a certificate, a client gets no further than the handshake.
const stranger = new undici.Agent({ connect: { ca } })
const knock = fetchThrough(stranger)(baseUrl)
await knock.catch((error: Error) => console.log(`${error.message} without one`))

await agent.close()
await stranger.close()
front.close()
await service.close()

// Sends everything through a proxy, the login included, by using your own fetch.
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import * as undici from 'undici'
import { startProxy } from './stand-ins/proxy.ts'

// Node's fetch takes an undici 7 agent directly, but an undici 8 agent only in a wrapper.
type Wrapper = new (agent: undici.Dispatcher) => undici.Dispatcher
const { Dispatcher1Wrapper }: typeof undici & { Dispatcher1Wrapper?: Wrapper } = undici

// The emulator stands in for the service, and this proxy for yours.
const service = await createEmulator().listen()
const proxy = await startProxy()

// `proxyTunnel` is for the emulator's plain http: https goes through a tunnel anyway.
const agent = new undici.ProxyAgent({ uri: proxy.url, proxyTunnel: true })
const dispatcher = Dispatcher1Wrapper ? new Dispatcher1Wrapper(agent) : agent
const fetchThroughProxy: Fetch = (input, init) => {
  const throughProxy = { ...init, dispatcher }
  return fetch(input, throughProxy)
}

const auth = createTokenAuth({
  baseUrl: service.url,
  credentials: defaultUsers[0],
  fetch: fetchThroughProxy, // sends the login
})
// Sends everything else.
const serviceFetch = authFetch(auth, { baseUrl: service.url, fetch: fetchThroughProxy })

const response = await serviceFetch('/user/groups')
const isTunnelled = proxy.tunnels.includes(service.url.host)
console.log(response.status, isTunnelled ? 'through the proxy' : 'bypassing the proxy')

await agent.close()
proxy.close()
await service.close()

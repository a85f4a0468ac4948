import { Secret } from '@svc/auth-hooks'
import type { SessionSettings } from '../session/session-options.ts'
import { loginKey } from '../token.ts'
import { type DpopRules, separator } from './contract.ts'
import { createHolder, type DpopSettings, type Holder, holderFor, keyOf, prove } from './key.ts'
import { isOfProof } from './sending.ts'
import { learn, nonceIn, type Server, serverOf } from './servers.ts'

/** Returns the function that begins each login of a client. */
export function openLogins({ own, allowBearer }: DpopSettings): ReturnType<DpopRules['open']> {
  let made: Holder | undefined

  return async (context) => {
    const { fetch, previous } = context
    // A sign-in, which does not say, has a store.
    const mark: SessionSettings | undefined = Reflect.get(context, loginKey)
    const isShared = !mark || mark.store !== undefined
    const now = (): number => mark?.clock() ?? Date.now()
    const parts = previous?.refreshToken?.split(separator) ?? []
    const refreshToken = parts.pop()
    // The first refresh token of a user comes without a key.
    const text = own || !isShared ? undefined : parts[0]
    const found = text === undefined ? (own ?? made) : holderFor(text)
    const holder = found ?? (made = await createHolder(isShared))
    const key = await keyOf(holder)
    if (text !== undefined) {
      // The server may repeat it in a message. The first are those of the client.
      const { secrets } = Reflect.get(context, 'credentials') as { secrets: Secret[] }
      secrets.push(new Secret(refreshToken ?? ''))
      secrets.splice(9, secrets.length - 100)
    }
    let server: Server | undefined
    let nonce: string | undefined
    let mayMend = false
    return {
      refreshToken,
      async fetch(url, init) {
        if (init.method !== 'POST') return fetch(url, init)
        // Its nonces are not those of a resource at the same origin: section 9.
        server = serverOf(holder.servers, `token ${new URL(url).origin}`)
        const proof = await prove(holder, server, now(), { method: 'POST', url }, nonce)
        const response = await fetch(url, { ...init, headers: { ...init.headers, dpop: proof } })
        mayMend = learn(server, response.headers, response.ok ? undefined : now())
        nonce = nonceIn(response.headers) ?? nonce
        return response
      },
      problemIn(metadata) {
        const named = 'dpop_signing_alg_values_supported'
        const { [named]: algorithms, response_types_supported: types } = Object(metadata)
        // Options in place of metadata have neither.
        const mayBind = !algorithms && !types
        if (allowBearer || mayBind || [algorithms].flat().includes('ES256')) return undefined
        return `its metadata have no ${named} with ES256; give allowBearer`
      },
      mayRepeat(error) {
        const isRepeated = mayMend && isOfProof(error)
        // The nonce of a refusal is left to this login: a server may take it once.
        if (server && !isRepeated) server.nonce = nonce ?? server.nonce
        return isRepeated
      },
      takes: (type, next) =>
        type === 'dpop' || (type === 'bearer' && (allowBearer || next !== undefined)),
      bind(result, type) {
        if (type !== 'dpop') return result
        const bound = { ...result, binding: isShared ? key.text : holder }
        if (!isShared || own || result.refreshToken === undefined) return bound
        return { ...bound, refreshToken: key.text + separator + result.refreshToken }
      },
    }
  }
}

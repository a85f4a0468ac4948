import { Secret } from '@svc/auth-hooks'
import { loginKey } from '../token.ts'
import { type DpopRules, separator } from './contract.ts'
import { createHolder, type Holder, holderFor, keyOf, prove } from './key.ts'
import { type DpopSettings, isOfProof } from './sending.ts'
import { learn } from './servers.ts'

/** Returns the function that begins each login of a client. */
export function openLogins(settings: DpopSettings): ReturnType<DpopRules['open']> {
  const { own, allowBearer, createJti, clock } = settings
  let made: Holder | undefined
  let noted = new Secret('')

  return async (context) => {
    const { fetch, previous } = context
    // A sign-in, which does not say, has a store.
    const isShared = Reflect.get(context, loginKey) !== false
    // The first refresh token of a user comes without a key.
    const parts = previous?.refreshToken?.split(separator) ?? []
    const [text, refreshToken] = parts.length > 1 ? parts : [undefined, ...parts]
    const found = text === undefined ? (own ?? made) : holderFor(text)
    const holder = found ?? (made = await createHolder(isShared))
    const key = await keyOf(holder)
    if (text !== undefined) {
      // The server may repeat it in a message.
      const { secrets } = Reflect.get(context, 'credentials') as { secrets: Secret[] }
      const at = secrets.indexOf(noted)
      secrets[at < 0 ? secrets.length : at] = noted = new Secret(refreshToken ?? '')
    }
    let mayMend = false
    return {
      refreshToken,
      async fetch(input, init) {
        if (init?.method !== 'POST') return fetch(input, init)
        const { href: url, origin } = new URL(input instanceof Request ? input.url : input)
        // Its nonces are not those of a resource at the same origin: section 9.
        const server = `token ${origin}`
        const { nonce, skewMs = 0 } = holder.servers.get(server) ?? {}
        const now = clock()
        const about = { method: 'POST', url, nonce, jti: createJti() }
        const headers = new Headers(init.headers)
        headers.set('dpop', await prove(holder, { ...about, now: now + skewMs }))
        const response = await fetch(input, { ...init, headers: Object.fromEntries(headers) })
        mayMend = learn(holder.servers, server, response.headers, response.ok ? undefined : now)
        return response
      },
      problemIn(metadata) {
        const named = 'dpop_signing_alg_values_supported'
        const { [named]: algorithms, response_types_supported: types } = metadata as Metadata
        // Options in place of metadata have neither.
        const mayBind = !algorithms && !types
        if (allowBearer || mayBind || [algorithms].flat().includes('ES256')) return undefined
        return `its metadata have no ${named} with ES256; leave out dpop, or give allowBearer`
      },
      mayRepeat: (error) => mayMend && isOfProof(error),
      takes: (type) => type === 'dpop' || (allowBearer && type === 'bearer'),
      bind(result, type) {
        if (type !== 'dpop') return result
        if (!isShared) return { ...result, binding: holder }
        const { refreshToken: next } = result
        const isKept = next !== undefined && holder !== own
        const bound = isKept ? key.text + separator + next : next
        return { ...result, refreshToken: bound, binding: key.text }
      },
    }
  }
}

interface Metadata {
  readonly dpop_signing_alg_values_supported?: unknown
  readonly response_types_supported?: unknown
}

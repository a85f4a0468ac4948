// Signs requests with HTTP Message Signatures (RFC 9421), by Ed25519.
import { Buffer } from 'node:buffer'
import { authFetch } from '@svc/auth-hooks'
import { matchOrigins } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { createSignature, webcrypto } from 'http-message-sig'
import { verifyMessageSignature } from './stand-ins/message-signature-verifier.ts'
import { startVerifier } from './stand-ins/signed-requests.ts'

/** Signs the method, the whole address and the hash of the body, anew for each attempt. */
function createSignatureAuth(baseUrl: string, keyid: string, key: CryptoKey): AuthScheme {
  const signer = webcrypto.signer(key)
  return {
    name: 'message-signature',
    covers: matchOrigins([baseUrl], '[example] signature', 'baseUrl'),
    sensitiveHeaders: ['signature', 'signature-input'],
    async authorize({ method, url, body }) {
      const digest: [name: string, value: string][] = []
      if (body) {
        const bytes = Uint8Array.from(await body.bytes())
        const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64')
        digest.push(['content-digest', `sha-256=:${hash}:`])
      }
      const message = {
        kind: 'request',
        method,
        targetUri: url.href,
        fields: digest.map(([name, value]) => ({ name, value })),
      } as const
      const { signature, signatureInput } = await createSignature(message, {
        components: ['@method', '@target-uri', ...digest.map(([name]) => name)],
        parameters: { created: Math.floor(Date.now() / 1000), keyid, nonce: crypto.randomUUID() },
        signer,
      })
      const signed: typeof digest = [
        ['signature-input', signatureInput],
        ['signature', signature],
      ]
      return { scheme: 'message-signature', headers: [...digest, ...signed] }
    },
  }
}

// It stands in for the service, and shares no code with the library.
const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
const publicKey = Buffer.from(await crypto.subtle.exportKey('raw', keys.publicKey))
const service = await startVerifier((request) => verifyMessageSignature(request, publicKey))
const auth = createSignatureAuth(service.origin, 'my-key', keys.privateKey)
const serviceFetch = authFetch(auth, { baseUrl: service.origin })

for (const response of [
  await serviceFetch('/foo?param=Value&Pet=dog'),
  await serviceFetch('/foo', { method: 'POST', body: '{"hello": "world"}' }),
]) {
  console.log(response.status, await response.text())
}
service.close()

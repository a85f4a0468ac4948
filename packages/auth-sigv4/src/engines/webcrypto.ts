/**
 * The signing engine for browsers and workers, and the default there.
 *
 * @module @svc/auth-sigv4/webcrypto
 */
import { requireSubtle } from '@svc/auth-hooks/scheme'
import type { SigningEngine } from './engine.ts'
import { latin1 } from './latin1.ts'

/**
 * The engine for browsers and workers: WebCrypto, with the signing key held as a `CryptoKey` that
 * cannot be exported. A page must be a secure context to use it.
 *
 * @throws AuthError `ERR_AUTH_CRYPTO`, on signing, if there is no `crypto.subtle`.
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
 *
 * export const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 *   engine: webCryptoEngine(),
 * })
 * @see https://www.w3.org/TR/webcrypto-2/
 */
export function webCryptoEngine(): SigningEngine {
  return {
    name: 'webcrypto',
    hash: async (data) =>
      hex(await subtle().digest('SHA-256', typeof data === 'string' ? latin1(data) : own(data))),
    async deriveKey(secretAccessKey, { date, region, service }) {
      let key = await importKey(new TextEncoder().encode(`AWS4${secretAccessKey}`))
      for (const part of [date, region, service, 'aws4_request']) {
        key = await importKey(await hmac(key, part))
      }
      return key
    },
    // Only what `deriveKey` gave comes here.
    sign: async (key, stringToSign) => hex(await hmac(key as CryptoKey, stringToSign)),
  }
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' }

function subtle(): SubtleCrypto {
  const remedy = '; engine: nobleEngine() of @svc/auth-sigv4/noble signs without it'
  return requireSubtle('[@svc/auth-sigv4] cannot sign', remedy)
}

function importKey(bytes: BufferSource): Promise<CryptoKey> {
  return subtle().importKey('raw', bytes, algorithm, false, ['sign'])
}

function hmac(key: CryptoKey, text: string): Promise<ArrayBuffer> {
  return subtle().sign('HMAC', key, latin1(text))
}

const hexDigits = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

function hex(bytes: ArrayBuffer): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += hexDigits[byte]
  return text
}

// WebCrypto rejects views of shared memory, which might change while it reads them.
function own(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return data.buffer instanceof ArrayBuffer ? (data as Uint8Array<ArrayBuffer>) : data.slice()
}

import type { SigningEngine } from './signing-engine.ts'

/**
 * The engine of browsers and workers: WebCrypto, with the signing key held as a `CryptoKey` that
 * cannot be exported. A page must be a secure context to have it.
 *
 * @example
 * createSigV4Auth({ baseUrl, region, credentials, engine: webCryptoEngine() })
 * @see https://www.w3.org/TR/webcrypto-2/
 */
export function webCryptoEngine(): SigningEngine {
  return {
    name: 'webcrypto',
    hash: async (data) =>
      hex(
        await crypto.subtle.digest('SHA-256', typeof data === 'string' ? latin1(data) : own(data)),
      ),
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

function importKey(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
}

function hmac(key: CryptoKey, text: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
}

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// WebCrypto takes no view of shared memory; nobody else can change what it reads.
function own(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return data.buffer instanceof ArrayBuffer ? (data as Uint8Array<ArrayBuffer>) : data.slice()
}

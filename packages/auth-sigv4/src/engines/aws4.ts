/**
 * A signing engine that uses the aws4 library to derive keys and sign. Needs `aws4` 1.13 or later.
 *
 * @module @svc/auth-sigv4/aws4
 */
import { Secret } from '@svc/auth-hooks'
import aws4 from 'aws4'
import type { CredentialScope, SigningEngine } from './engine.ts'
import { nativeEngine } from './native.ts'

/**
 * The engine for anyone who wants [aws4](https://github.com/mhart/aws4) to derive the key and sign.
 * It is given our string to sign, because the one that aws4 builds leaves out parameters and headers.
 *
 * Needs `aws4` to be installed, and a runtime with `node:crypto`. aws4 keeps the keys that it derives in
 * its own cache, whose lookup keys contain the secret; the other engines keep no secret.
 *
 * @example
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 * import { aws4Engine } from '@svc/auth-sigv4/aws4'
 *
 * export const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 *   engine: aws4Engine(),
 * })
 * @see https://github.com/mhart/aws4
 */
export function aws4Engine(): SigningEngine {
  return {
    // aws4 has no hash of its own to lend.
    ...nativeEngine(),
    name: 'aws4',
    deriveKey: (secretAccessKey, scope): Aws4Key => ({
      scope,
      secretAccessKey: new Secret(secretAccessKey),
    }),
    sign(key, stringToSign) {
      // Only what `deriveKey` gave comes here.
      const { scope, secretAccessKey } = key as Aws4Key
      const { date, region, service } = scope
      const signer = new aws4.RequestSigner(
        { host: '', region, service, headers: {} },
        { accessKeyId: '', secretAccessKey: secretAccessKey.reveal() },
      )
      signer.datetime = `${date}T000000Z`
      signer.stringToSign = () => stringToSign
      return signer.signature()
    },
  }
}

interface Aws4Key {
  readonly scope: CredentialScope
  readonly secretAccessKey: Secret
}

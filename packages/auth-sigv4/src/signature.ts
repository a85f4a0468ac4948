import { type MaybePromise, whenReady } from '@svc/auth-hooks/scheme'
import type { ApiKey } from './api-key.ts'
import type { SigningEngine } from './engines/engine.ts'
import type { SigningDate } from './signing-date.ts'
import { signingKeys } from './signing-key.ts'
import { stringToSign } from './string-to-sign.ts'

/** A signature and what was signed. */
export interface Signature {
  readonly stringToSign: string
  readonly signature: string
  /** Signs what follows the head, with the same key. */
  readonly signNext: (stringToSign: string) => MaybePromise<string>
}

/** Signs a canonical request. */
export type CanonicalSigner = (
  canonicalRequest: string,
  date: SigningDate,
  apiKey: ApiKey,
) => MaybePromise<Signature>

/** What signed headers and presigned URLs have in common. */
export function createCanonicalSigner(engine: SigningEngine): CanonicalSigner {
  const signingKey = signingKeys(engine)
  return (canonicalRequest, date, apiKey) =>
    whenReady(engine.hash(canonicalRequest), (hash) => {
      const text = stringToSign(date.amzDate, date.scopeText, hash)
      return whenReady(signingKey(apiKey, date), (key) =>
        whenReady(engine.sign(key, text), (signature) => ({
          stringToSign: text,
          signature,
          signNext: (next) => engine.sign(key, next),
        })),
      )
    })
}

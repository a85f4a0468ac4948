import type { MaybePromise } from '@svc/auth-hooks/scheme'

/**
 * Computes hashes and signatures. All engines produce the same bytes; they differ in where they run and
 * in speed.
 */
export interface SigningEngine {
  /** A short name, for messages. */
  readonly name: string
  /** SHA-256 in lower-case hex. A string stands for its Latin-1 bytes. */
  hash(data: string | Uint8Array): MaybePromise<string>
  /**
   * SHA-256 of a text in UTF-8, in lower-case hex. For platforms that hash text without encoding it first.
   */
  hashText?(text: string): MaybePromise<string>
  /**
   * SHA-256 of pieces, in lower-case hex, keeping none of them. For platforms that can do that; without it,
   * a large `Blob` is not hashed.
   */
  hashStream?(pieces: AsyncIterable<Uint8Array>): Promise<string>
  /**
   * Derives the signing key from a secret for a scope, in a form that does not reveal itself when inspected.
   *
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
   */
  deriveKey(secretAccessKey: string, scope: CredentialScope): MaybePromise<SigningKey>
  /**
   * HMAC-SHA-256 of an ASCII string to sign, in lower-case hex.
   *
   * @see https://www.rfc-editor.org/rfc/rfc2104
   */
  sign(key: SigningKey, stringToSign: string): MaybePromise<string>
}

/** A signing key, known to the engine that derived it. */
export type SigningKey = object

/**
 * The day, region and service that a signature is valid for.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export interface CredentialScope {
  /** The day in UTC, such as `20130524`. */
  readonly date: string
  /** The region of the environment, such as `us-east-1`. */
  readonly region: string
  /** The service name, `s3` by default. */
  readonly service: string
}

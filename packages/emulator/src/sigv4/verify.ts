import type { RawRequest } from '../http/request.ts'
import { openRequest } from './open.ts'
import {
  checkBody,
  checkRequestHead,
  readVerifyOptions,
  type VerifyOptions,
  type VerifySettings,
} from './options.ts'
import type { Verification } from './result.ts'

/**
 * Verifies a Signature Version 4, in the header or presigned, from the raw request, as the S3
 * documentation describes it. The body is verified too: its hash, signed chunks and checksums. The
 * verifier shares no code with the clients' signers. Whatever the request contains, the promise
 * resolves.
 *
 * @throws TypeError if an option is wrong, or a part of the request has another type.
 * @example
 * import { defaultApiKeys, verifySigV4 } from '@svc/emulator'
 *
 * const verification = await verifySigV4(
 *   { method: 'GET', target: '/V1/report.json', rawHeaders: [['host', 'localhost']], body: new Uint8Array() },
 *   { apiKeys: defaultApiKeys, region: 'us-east-1' },
 * )
 * if (!verification.ok) console.log(verification.code) // AccessDenied
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
// Asynchronous by contract, so that bodies that arrive in signed chunks can be verified as they come.
export async function verifySigV4(
  request: RawRequest,
  options: VerifyOptions,
): Promise<Verification> {
  const settings = readVerifyOptions(options, 'verifySigV4')
  checkRequestHead(request, 'verifySigV4')
  checkBody(request)
  return verifyRequest(request, settings)
}

/** Verifies a signature as {@link verifySigV4} does, with options that were checked. */
export function verifyRequest(request: RawRequest, settings: VerifySettings): Verification {
  const opened = openRequest(request, settings, request.body)
  if (!opened.ok) return opened
  const { body: verifier, canonicalRequest: computed, stringToSign: toSign, ...claimed } = opened
  const pieces = verifier.write(request.body)
  const rejected = verifier.end()
  const { accessKeyId, signedHeaders, payload, signature } = claimed
  if (rejected) {
    const evidence = {
      canonicalRequest: computed,
      stringToSign: toSign,
      accessKeyId,
      signedHeaders,
    }
    return { ...evidence, signatureProvided: signature, ...rejected }
  }
  const isFramed = payload !== 'signed' && payload !== 'unsigned'
  return {
    ok: true,
    accessKeyId,
    signedHeaders,
    payload,
    body: isFramed ? new Uint8Array(Buffer.concat(pieces)) : request.body,
    canonicalRequest: computed,
    stringToSign: toSign,
  }
}

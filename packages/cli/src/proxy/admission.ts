import { createHash, timingSafeEqual } from 'node:crypto'
import { openSigV4, type OpenedSigV4, type RawRequestHead } from '@svc/emulator/verify'
import { connectionNames } from './headers.ts'
import { denied, invalid, ProxyRefusal } from './refusal.ts'
import { headerValues } from './request-head.ts'
import { readParameters } from './target.ts'
import type { ProxyCredentials } from './ways.ts'

/** Ways into the proxy. */
export interface Ways extends Pick<ProxyCredentials, 'secret' | 'keyPair'> {
  /** `true` if only those can connect who may use the socket's file. */
  readonly isPrivateSocket: boolean
}

/** A request that was let in. */
export interface Admission {
  /** The signature of the request by the proxy's own key pair. */
  readonly signature: OpenedSigV4 | undefined
  /** The query without the parameters of a signature. */
  readonly query: string
}

/** Parameters of a presigned URL, and of one of Signature Version 2. */
const credentialParameters =
  /^(?:awsaccesskeyid|signature|x-amz-(?:algorithm|content-sha256|credential|date|expires|security-token|signature|signedheaders))$/i

/** Headers by which a client means to authenticate to the service itself. */
const ownCredentials = ['authorization', 'x-svc-security-token'] as const

/** Tells if a request brings a signature, so that its refusal is XML. */
export function isSigned(head: RawRequestHead): boolean {
  const mark = head.target.indexOf('?')
  const query = mark === -1 ? '' : head.target.slice(mark + 1)
  return (
    headerValues(head, 'authorization').some((value) => /^AWS4-/i.test(value)) ||
    readParameters(query).some(({ name }) => credentialParameters.test(name))
  )
}

/** Lets a request in, by the secret, a signature or the socket. Whatever signature it brings is verified. */
export function createAdmission(
  { secret, keyPair, isPrivateSocket }: Ways,
  clock: () => number,
): (head: RawRequestHead, query: string) => Admission {
  const expected = digest(secret)
  const options = {
    apiKeys: keyPair ? [keyPair] : [],
    bodiesWithoutLength: 'accepted',
    clock,
  } as const
  return (head, query) => {
    const secrets = headerValues(head, 'x-svc-proxy-secret')
    if (secrets.length > 0 && !timingSafeEqual(digest(secrets.join()), expected)) {
      throw denied('the secret in x-svc-proxy-secret is wrong')
    }
    if (isSigned(head)) {
      if (isOlderSignature(query)) {
        throw denied('a presigned URL must have a signature of version 4; set that in your tool')
      }
      if (!keyPair) throw denied('signatures need a key pair: start the proxy with --print-keys')
      const opened = openSigV4(head, options)
      if (!opened.ok) throw new ProxyRefusal(opened.status, opened.code, opened.message)
      assertSignedHeadersStay(head, opened)
      return { signature: opened, query: opened.form === 'query' ? withoutSignature(query) : query }
    }
    if (secrets.length === 0 && !isPrivateSocket) {
      const other = keyPair ? " or a signature made with the proxy's own key pair" : ''
      const [authorization] = headerValues(head, 'authorization')
      const foreign =
        authorization === undefined
          ? ''
          : "the credential in authorization is none of this proxy's; "
      throw denied(`${foreign}the request needs the header x-svc-proxy-secret${other}`)
    }
    const own = ownCredentials.find((name) => headerValues(head, name).length > 0)
    if (own !== undefined) {
      throw invalid(
        `leave out the header ${own}: the proxy adds the credential itself, and would drop this one`,
      )
    }
    // Nobody else takes the framing off, and the service would store it.
    if (headerValues(head, 'x-amz-content-sha256').some((hash) => hash.startsWith('STREAMING-'))) {
      throw invalid('a body in aws-chunked needs a signed request')
    }
    return { signature: undefined, query }
  }
}

// One that is taken off would be verified here and absent there.
function assertSignedHeadersStay(head: RawRequestHead, { signedHeaders }: OpenedSigV4): void {
  const named = connectionNames(head.rawHeaders)
  const lost = signedHeaders.find((name) => named.has(name))
  if (lost === undefined) return
  throw invalid(`the header ${lost} is signed, and the header connection takes it off`)
}

function isOlderSignature(query: string): boolean {
  return readParameters(query).some(({ name }) => /^(?:signature|awsaccesskeyid)$/i.test(name))
}

function withoutSignature(query: string): string {
  return readParameters(query)
    .filter(({ name }) => !credentialParameters.test(name))
    .map(({ raw }) => raw)
    .join('&')
}

// Digests have one length, and timingSafeEqual throws on two.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

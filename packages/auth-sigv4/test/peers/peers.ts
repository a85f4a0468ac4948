import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import aws4 from 'aws4'
import { AwsV4Signer } from 'aws4fetch'
import { signatureOf, signWithBotocore } from '../oracle/botocore.ts'
import type { Signed } from './ours.ts'

/** The signature of the same request by somebody else, or why there is none. */
export type PeerSignature = string | Error

/** Signs what we sent. Each is told to sign all headers that we signed, where it has an option for it. */
export interface Peer {
  readonly name: 'aws4' | 'aws4fetch' | 'smithy' | 'botocore'
  sign(all: readonly Signed[]): Promise<readonly PeerSignature[]>
}

const each =
  (sign: (signed: Signed) => string | Promise<string>): Peer['sign'] =>
  (all) =>
    Promise.all(
      all.map(async (signed) => {
        try {
          return await sign(signed)
        } catch (error) {
          return error instanceof Error ? error : new Error(String(error))
        }
      }),
    )

const signatureIn = (text: string): string => /Signature=([\da-f]{64})/.exec(text)?.[1] ?? ''

const byAws4: Peer = {
  name: 'aws4',
  sign: each(({ given, url, headers, amzDate, body }) => {
    const { signedIn, service, method } = given
    const isHeader = signedIn === 'header'
    const mark = url.search === '' ? '?' : '&'
    const signer = new aws4.RequestSigner(
      {
        method,
        path: url.pathname + url.search + (isHeader ? '' : `${mark}X-Amz-Expires=${signedIn}`),
        service,
        region: 'us-east-1',
        headers: isHeader ? { ...headers, 'x-amz-date': amzDate } : headers,
        ...(body.length > 0 && { body }),
        signQuery: !isHeader,
        // It would add and sign content-type and content-length.
        doNotModifyHeaders: true,
        extraHeadersToInclude: { range: true },
      },
      given.apiKey,
    )
    signer.datetime = amzDate
    const signed = signer.sign()
    return signatureIn(isHeader ? (signed.headers['Authorization'] ?? '') : signed.path)
  }),
}

const byAws4Fetch: Peer = {
  name: 'aws4fetch',
  sign: each(async ({ given, url, headers, amzDate, body }) => {
    const { signedIn, service, method, apiKey } = given
    const address = new URL(url)
    if (signedIn !== 'header') address.searchParams.append('X-Amz-Expires', String(signedIn))
    const signer = new AwsV4Signer({
      accessKeyId: apiKey.accessKeyId,
      secretAccessKey: apiKey.secretAccessKey,
      ...(apiKey.sessionToken !== undefined && { sessionToken: apiKey.sessionToken }),
      method,
      url: address.href,
      headers,
      ...(body.length > 0 && { body }),
      service,
      region: 'us-east-1',
      datetime: amzDate,
      signQuery: signedIn !== 'header',
      allHeaders: true,
    })
    const signed = await signer.sign()
    return signatureIn(
      signedIn === 'header' ? (signed.headers.get('authorization') ?? '') : signed.url.search,
    )
  }),
}

/** SHA-256 and its HMAC in the shape that smithy asks for. */
export class Sha256 {
  readonly #hash: Hash | Hmac
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = typeof secret === 'string' ? secret : secret && bytesOf(secret)
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data))
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
  reset(): void {
    throw new Error('nobody needs it')
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
}

const bySmithy: Peer = {
  name: 'smithy',
  sign: each(async ({ given, url, headers, body }) => {
    const { signedIn, service, method, apiKey } = given
    const { accessKeyId, secretAccessKey, sessionToken } = apiKey
    const signer = new SignatureV4({
      credentials: {
        accessKeyId,
        secretAccessKey,
        ...(sessionToken !== undefined && { sessionToken }),
      },
      region: 'us-east-1',
      service,
      sha256: Sha256,
      uriEscapePath: service !== 's3',
      applyChecksum: false,
    })
    const isPresigned = signedIn !== 'header'
    const request = new HttpRequest({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryRecord(url),
      headers: { ...headers },
      // A body that is not known: its hash is UNSIGNED-PAYLOAD, which S3 wants of a presigned URL.
      body: isPresigned ? (service === 's3' && new ReadableStream()) || undefined : body,
    })
    const options = {
      signingDate: new Date(given.at),
      signableHeaders: new Set(['cache-control']),
    }
    if (!isPresigned) {
      const signed = await signer.sign(request, options)
      return signatureIn(signed.headers['authorization'] ?? '')
    }
    const signed = await signer.presign(request, { ...options, expiresIn: signedIn })
    return String(signed.query?.['X-Amz-Signature'])
  }),
}

/** The query as smithy's requests hold it: decoded, by name. */
export function queryRecord(url: URL): Record<string, string | string[]> {
  const entries = [...new Set(url.searchParams.keys())].map((name): [string, string | string[]] => {
    const values = url.searchParams.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values]
  })
  return Object.fromEntries(entries)
}

const byBotocore: Peer = {
  name: 'botocore',
  async sign(all) {
    const asked = all.map(({ given, url, headers, amzDate, body }) => ({
      ...given.apiKey,
      region: 'us-east-1',
      service: given.service,
      amzDate,
      method: given.method,
      url: url.href,
      // It adds the host itself.
      headers: { ...headers, host: undefined },
      body: Buffer.from(body).toString('base64'),
      isPayloadSigned: headers['x-amz-content-sha256'] !== 'UNSIGNED-PAYLOAD',
      ...(given.signedIn !== 'header' && { expiresInSeconds: given.signedIn }),
    }))
    return (await signWithBotocore(asked)).map(signatureOf)
  },
}

export const peers: readonly Peer[] = [byAws4, byAws4Fetch, bySmithy, byBotocore]

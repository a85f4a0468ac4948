import { defaultApiKeys, type RawRequest, type Verification, verifySigV4 } from '@svc/emulator'
import { serveOnLoopback } from './loopback.ts'

/** A request as it arrived at a service, and its verification. */
export interface Arrived extends RawRequest {
  readonly verification: Verification
}

/** The name of a service that is not s3. */
export const otherService = 'execute-api'

/** Starts a service that is not s3, on a socket: it verifies each request from its raw line and headers. */
export async function serviceServer(): Promise<{ origin: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = []
  const origin = await serveOnLoopback(async (incoming, outgoing) => {
    const { method = '', url: target = '', rawHeaders: list } = incoming
    const rawHeaders = list.flatMap((name, index): [string, string][] =>
      index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [],
    )
    const request = {
      method,
      target,
      rawHeaders,
      body: new Uint8Array(Buffer.concat(await incoming.toArray())),
    }
    const verification = await verifySigV4(request, {
      apiKeys: defaultApiKeys,
      region: 'us-east-1',
      service: otherService,
    })
    arrived.push({ ...request, verification })
    outgoing.writeHead(verification.ok ? 200 : verification.status).end()
  })
  return { origin, arrived }
}

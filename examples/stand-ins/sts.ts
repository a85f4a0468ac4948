import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** A temporary key, as STS hands it out. */
export interface TemporaryKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration: Date
}

/** A security token service that gives everybody the same role. */
export interface Sts {
  readonly url: string
  /** The actions that were asked for, in order, such as `AssumeRole`. */
  readonly actions: readonly string[]
  close(): void
}

/** Starts the service on loopback. */
export async function startSts(keyOf: () => TemporaryKey): Promise<Sts> {
  const actions: string[] = []
  const server = createServer(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') ?? ''
    actions.push(action)
    const { accessKeyId, secretAccessKey, sessionToken = '', expiration } = keyOf()
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(
        `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
          `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
          `<SessionToken>${sessionToken}</SessionToken><Expiration>${expiration.toISOString()}</Expiration>` +
          '</Credentials><AssumedRoleUser><Arn>arn:aws:sts::000000000000:assumed-role/reader/app</Arn>' +
          `<AssumedRoleId>AROAREADER:app</AssumedRoleId></AssumedRoleUser></${action}Result></${action}Response>`,
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, actions, close }
}

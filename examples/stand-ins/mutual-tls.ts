import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { generate } from 'selfsigned'

/** An https address in front of the emulator that lets nobody in without a certificate of its own. */
export interface MutualTls {
  readonly url: URL
  /** What a client has to trust, in PEM. */
  readonly ca: string
  /** The key and the certificate of a client, in PEM, as an administrator hands them out. */
  readonly key: string
  readonly cert: string
  close(): void
}

/** Starts it on loopback, with keys that are made anew. */
export async function startMutualTls(upstream: URL): Promise<MutualTls> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      // The server's certificate is its own authority, and that of the client.
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    clientCertificate: { cn: 'reader' },
  })
  const { private: serverKey, cert: ca, clientprivate: key = '', clientcert: cert = '' } = made
  const settings = { key: serverKey, cert: ca, ca, requestCert: true, rejectUnauthorized: true }
  const server = createServer(settings, (client) => {
    const service = connect(Number(upstream.port), upstream.hostname)
    client.pipe(service).pipe(client)
    client.once('error', () => service.destroy())
    service.once('error', () => client.destroy())
  })
  // A client that shows no certificate is turned away; there is nothing else to do about it.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = new URL(`https://127.0.0.1:${port}`)
  return { url, ca, key, cert, close: () => void server.close() }
}

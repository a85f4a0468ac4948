import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { generate } from 'selfsigned'

/** An https server in front of the emulator that lets nobody in without a certificate it issued. */
export interface MutualTls {
  readonly url: URL
  /** The certificate that clients must trust, in PEM. */
  readonly ca: string
  /** A client's key and certificate, in PEM, as an administrator would hand them out. */
  readonly key: string
  readonly cert: string
  close(): void
}

/** Starts the server on loopback, with fresh keys. */
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

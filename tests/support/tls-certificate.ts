import { generate } from 'selfsigned'

/** A key and a certificate of one's own for `127.0.0.1` and `localhost`, made anew for each run. */
export interface TlsCertificate {
  readonly key: string
  readonly cert: string
}

/**
 * Makes a certificate that nobody trusts but those who are given it.
 *
 * @param hosts - More names that it is for.
 */
export async function makeTlsCertificate(hosts: readonly string[] = []): Promise<TlsCertificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          ...hosts.map((value) => ({ type: 2 as const, value })),
        ],
      },
    ],
  })
  return { key, cert }
}

/** The name of a client that sends. */
export type ClientName = 'fetch' | 'ky' | 'axios' | 'got' | 'undici'

/** A client that sends one request again and again. */
export interface RequestContender {
  readonly name: string
  readonly role: 'bare' | 'ours' | 'peer'
  /** The client beneath. */
  readonly client: ClientName
  readonly credential: 'token' | 'signature'
  /** `true` for a library that can send a token only as Bearer, where the service takes a header of its own. */
  readonly isBearer?: boolean
  /** Makes everything that is made once for a service. */
  connect(service: ServiceAddress): Promise<Send>
}

/** A function that sends one request, reads the response and returns its status. */
export type Send = () => Promise<number>

/** A service and the credentials for it. */
export interface ServiceAddress {
  readonly baseUrl: string
  /** The user whose token is sent. */
  readonly user: { readonly username: string; readonly password: string }
  /** The access key that signs. */
  readonly apiKey: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

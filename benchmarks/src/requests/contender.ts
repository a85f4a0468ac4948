/** The clients that send. */
export type Client = 'fetch' | 'ky' | 'axios' | 'got' | 'undici'

/** A client that sends one request again and again. */
export interface RequestContender {
  readonly name: string
  /** The client that stands beneath, which it is held against too. */
  readonly client: Client
  /** Whether it is the floor of its client: headers that were made ahead, and nothing in between. */
  readonly isBare: boolean
  readonly credential: 'token' | 'signature'
  /** Makes all that is made once for a service, and gives what sends one request, reads the answer, and tells its status. */
  connect(service: ServiceAddress): Promise<Send>
}

/** Sends one request, reads the answer, and tells its status. */
export type Send = () => Promise<number>

/** A service and what is asked of it. */
export interface ServiceAddress {
  readonly baseUrl: string
  /** The user whose token is sent. */
  readonly user: { readonly username: string; readonly password: string }
  /** The access key that signs. */
  readonly apiKey: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

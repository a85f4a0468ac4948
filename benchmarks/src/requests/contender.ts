/** A client that sends one request again and again. */
export interface RequestContender {
  readonly name: string
  /** The client that stands beneath, which it is held against too. */
  readonly client: 'fetch' | 'ky' | 'axios'
  /** Whether it sends headers that were made ahead, as a floor does. */
  readonly isBare: boolean
  readonly credential: 'token' | 'signature'
  /** Makes all that is made once for a service, and gives what sends one request, reads the answer, and tells its status. */
  connect(service: ServiceAddress): Promise<() => Promise<number>>
}

/** A service and what is asked of it. */
export interface ServiceAddress {
  readonly baseUrl: string
  /** The user whose token is sent. */
  readonly user: { readonly username: string; readonly password: string }
  /** The access key that signs. */
  readonly apiKey: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

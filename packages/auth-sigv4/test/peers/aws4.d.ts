// aws4 has no types of its own; this is the part that a user of it calls.
declare module 'aws4' {
  interface RequestSigner {
    datetime: string
    sign(): { path: string; headers: Record<string, string> }
  }
  interface Request {
    method: string
    path: string
    service: string
    region: string
    headers: Record<string, string>
    body?: string | Uint8Array | undefined
    signQuery?: boolean
    doNotModifyHeaders?: boolean
    extraHeadersToInclude?: Record<string, boolean>
  }
  interface Credentials {
    accessKeyId: string
    secretAccessKey: string
    sessionToken?: string | undefined
  }
  const aws4: {
    RequestSigner: new (request: Request, credentials: Credentials) => RequestSigner
    sign(request: Request, credentials: Credentials): ReturnType<RequestSigner['sign']>
  }
  export default aws4
}

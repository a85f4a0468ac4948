// aws4 has no types of its own, and those of DefinitelyTyped lag behind it.
declare module 'aws4' {
  interface RequestSigner {
    datetime: string
    stringToSign(): string
    signature(): string
  }
  interface Request {
    host: string
    region: string
    service: string
    headers: Record<string, string>
  }
  interface Credentials {
    accessKeyId: string
    secretAccessKey: string
  }
  const aws4: { RequestSigner: new (request: Request, credentials: Credentials) => RequestSigner }
  export default aws4
}

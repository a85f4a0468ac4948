// aws4 has no types of its own; this is the part that a user of it calls.
declare module 'aws4' {
  namespace aws4 {
    interface Request {
      host: string
      method: string
      path: string
      service: string
      region: string
      headers: Record<string, string>
      body?: string | Buffer | undefined
    }
    interface Signed {
      path: string
      headers: Record<string, string | number>
    }
  }
  const aws4: {
    sign(
      request: aws4.Request,
      credentials: { accessKeyId: string; secretAccessKey: string },
    ): aws4.Signed
  }
  export default aws4
}

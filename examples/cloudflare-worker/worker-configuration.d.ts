// What `wrangler types` writes for you, as far as worker.ts needs it.
declare module 'cloudflare:workers' {
  export const env: {
    readonly SERVICE_URL: string
    readonly SERVICE_USERNAME: string
    readonly SERVICE_PASSWORD: string
  }
  export function waitUntil(promise: Promise<unknown>): void
}

// The part of what `wrangler types` generates for you that worker.ts needs.
declare module 'cloudflare:workers' {
  export const env: {
    readonly SERVICE_URL: string
    readonly SERVICE_USERNAME: string
    readonly SERVICE_PASSWORD: string
  }
  export function waitUntil(promise: Promise<unknown>): void
}

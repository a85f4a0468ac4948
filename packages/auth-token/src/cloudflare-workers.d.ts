/** The part of workerd's own module that is used. */
declare module 'cloudflare:workers' {
  /** Absent before August 2025. */
  export const waitUntil: ((promise: Promise<unknown>) => void) | undefined
}

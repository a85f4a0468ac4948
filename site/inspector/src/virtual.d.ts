declare module 'virtual:worker-code' {
  /** The worker's script, built by `vite.config.ts`. */
  export const workerCode: string
}

declare module '*.css'

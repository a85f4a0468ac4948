import { nodeModule } from './node-module.ts'

/** Returns the hash of a text in hex, as the names of cached files have it. */
export function sha(algorithm: 'sha1' | 'sha256', text: string): string {
  return nodeModule('crypto').createHash(algorithm).update(text).digest('hex')
}

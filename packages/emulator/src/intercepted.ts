import { checksOf } from './checks.ts'
import type { Emulator } from './emulator.ts'

/** Options of what hands requests of others to an emulator. */
export interface InterceptOptions {
  /** The address that the client has of the service. Its origin counts: requests to others are left alone. */
  readonly baseUrl: string | URL
}

/** Returns the origin of the requests that an emulator gets; throws a `TypeError` that names a wrong argument. */
export function interceptedOrigin(
  caller: string,
  emulator: Emulator,
  options: InterceptOptions,
): string {
  const checks = checksOf(caller)
  checks.object(emulator, 'emulator')
  checks.that(typeof emulator.fetch === 'function', 'emulator', 'must come from createEmulator')
  checks.names(options, 'options', { baseUrl: 1 })
  const address = String(options.baseUrl)
  checks.that(
    URL.canParse(address) && /^https?:/i.test(address),
    'baseUrl',
    'must be an http(s) URL, such as https://search.example.com',
  )
  return new URL(address).origin
}

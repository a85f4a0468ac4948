import type { ApiKey } from '@svc/auth-sigv4'
import type { GlobalOptions } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'

/** The service and who uses it. Secrets are read when they are needed. */
export interface Configuration {
  readonly baseUrl: string
  readonly region: string | undefined
  readonly user: ConfiguredUser | undefined
  /** Reads the API key; `undefined` if none is configured. */
  readonly apiKey: (() => Promise<ApiKey>) | undefined
}

/** The user who logs in. */
export interface ConfiguredUser {
  readonly username: string
  readonly parentUid: string | undefined
  /** Reads the password, or asks for it. */
  readonly password: () => Promise<string>
}

/**
 * Reads the configuration: flags, then environment variables, then the profile.
 *
 * @throws UsageError naming what is wrong or missing, and the remedy.
 */
export async function readConfiguration(
  options: GlobalOptions,
  { env }: CommandContext,
): Promise<Configuration> {
  const baseUrl = options.baseUrl ?? env['SVC_AUTH_BASE_URL']
  if (baseUrl === undefined) throw new UsageError('no base URL')
  const username = options.username ?? env['SVC_AUTH_USERNAME']
  const accessKeyId = options.accessKeyId ?? env['SVC_AUTH_ACCESS_KEY_ID']
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    region: options.region ?? env['SVC_AUTH_REGION'],
    user:
      username === undefined
        ? undefined
        : {
            username,
            parentUid: options.parentUid ?? env['SVC_AUTH_PARENT_UID'],
            password: async () => env['SVC_AUTH_PASSWORD'] ?? '',
          },
    apiKey:
      accessKeyId === undefined
        ? undefined
        : async () => ({ accessKeyId, secretAccessKey: env['SVC_AUTH_SECRET_ACCESS_KEY'] ?? '' }),
  }
}

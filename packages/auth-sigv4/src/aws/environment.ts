import type { ApiKey } from '../credentials.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the key of the environment, or `undefined` if there is none: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`
 * and, for a temporary key, `AWS_SESSION_TOKEN`.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
 */
export function environmentKey(): ApiKey | undefined {
  // Pages and some workers have no process.
  const { process }: { readonly process?: { readonly env?: Environment } } = globalThis
  const { env = {} } = process ?? {}
  const accessKeyId = env['AWS_ACCESS_KEY_ID']
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']
  if (!accessKeyId || !secretAccessKey) return undefined
  // An empty variable counts as one that is not set, as in AWS's own tools.
  return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] || undefined }
}

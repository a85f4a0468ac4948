import type { ApiKey } from '../../credentials.ts'
import { Failure, type Outside } from '../outside/outside.ts'

/**
 * Returns the key of the environment, or why there is none.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-static-credentials.html
 */
export function environmentKey({ variable }: Outside): ApiKey | string {
  const accessKeyId = variable('AWS_ACCESS_KEY_ID')
  if (accessKeyId === undefined) return 'AWS_ACCESS_KEY_ID is not set'
  const secretAccessKey = variable('AWS_SECRET_ACCESS_KEY')
  if (secretAccessKey === undefined) throw new Failure('AWS_SECRET_ACCESS_KEY is not set')
  const expiration = variable('AWS_CREDENTIAL_EXPIRATION')
  const expiresAt = expiration === undefined ? undefined : Date.parse(expiration)
  if (Number.isNaN(expiresAt)) throw new Failure('AWS_CREDENTIAL_EXPIRATION is no date')
  return { accessKeyId, secretAccessKey, sessionToken: variable('AWS_SESSION_TOKEN'), expiresAt }
}

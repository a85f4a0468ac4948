import type { ApiKey } from '../../credentials.ts'
import { Failure, readObject } from '../outside/outside.ts'
import type { Sources } from './sources.ts'

/**
 * Returns the key that a command prints.
 *
 * @throws Failure that names the problem, and never shows what was printed.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
 */
export async function processKey({ outside }: Sources, command: string): Promise<ApiKey> {
  const printed = readObject(await outside.run(command))
  if (printed['Version'] !== 1) {
    throw new Failure('its credential_process printed no JSON with "Version": 1')
  }
  const text = (name: string): string | undefined => {
    const value = printed[name] ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw new Failure(`its credential_process printed a ${name} that is no text`)
  }
  const [accessKeyId, secretAccessKey] = [text('AccessKeyId'), text('SecretAccessKey')]
  if (!accessKeyId || !secretAccessKey) {
    throw new Failure('its credential_process printed no AccessKeyId and SecretAccessKey')
  }
  const end = text('Expiration')
  const expiresAt = end ? Date.parse(end) : undefined
  if (Number.isNaN(expiresAt)) {
    throw new Failure('its credential_process printed an Expiration that is no date')
  }
  // Some print an empty token with a key that has no end.
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: text('SessionToken') || undefined,
    expiresAt,
  }
}

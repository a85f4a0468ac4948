import type { ApiKey } from '../../credentials.ts'
import { metadataFields, type Reply, send, temporaryKey } from '../outside/http.ts'
import { Failure, readObject } from '../outside/outside.ts'
import type { Sources } from './sources.ts'

/** A machine of EC2 responds in milliseconds; elsewhere nothing does. */
const limits = { timeoutMs: 1000, attempts: 1 }

/** A key that is over is used for so long: the service that renews it is away, and others may still take it. */
const extensionMs = 10 * 60_000

const who = 'the instance metadata service'

/**
 * Returns the key of the machine's role by version 2 of the service, or why there is none. Version 1 is never asked.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-imds-credentials.html
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
export async function instanceKey({ outside, setting }: Sources): Promise<ApiKey | string> {
  const disabled = outside.variable('AWS_EC2_METADATA_DISABLED')
  if (disabled !== undefined && disabled.toLowerCase() !== 'false') {
    return 'AWS_EC2_METADATA_DISABLED is set'
  }
  const base = await baseUrl(setting)
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const reply = await send(outside, new URL(base + path), init, who, limits)
    if (reply.status === 200) return reply
    throw new Failure(`${who} responded to ${init.method} ${path} with ${reply.status}`)
  }
  let token: string
  try {
    const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' }
    const reply = await ask('/latest/api/token', { method: 'PUT', headers: lifetime })
    token = reply.text
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Nobody is there, it has version 1 alone or is turned off; or the response does not get through to a container.
    return `${error.message}; on EC2 it must be enabled in version 2, for a container with a hop limit of 2`
  }
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Failure(`${who} responded with no token`)
  const init = { method: 'GET', headers: { 'x-aws-ec2-metadata-token': token } }
  const path = '/latest/meta-data/iam/security-credentials/'
  const role = (await ask(path, init)).text.trim()
  if (!/^[\w+=,.@-]+$/.test(role)) throw new Failure(`${who} responded with no role`)
  const reply = await ask(path + role, init)
  const now = outside.clock()
  const key = temporaryKey(readObject(reply.text), metadataFields, who, reply, now)
  return Number(key.expiresAt) > now ? key : { ...key, expiresAt: now + extensionMs }
}

async function baseUrl(setting: Sources['setting']): Promise<string> {
  const given = await setting('ec2_metadata_service_endpoint')
  if (given === undefined) {
    const mode = (await setting('ec2_metadata_service_endpoint_mode')) ?? 'ipv4'
    if (/^ipv4$/i.test(mode)) return 'http://169.254.169.254'
    if (/^ipv6$/i.test(mode)) return 'http://[fd00:ec2::254]'
    throw new Failure('AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE must be IPv4 or IPv6')
  }
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw new Failure('AWS_EC2_METADATA_SERVICE_ENDPOINT must be an http URL')
  }
  return given.replace(/\/+$/, '')
}

import type { ApiKey } from '../../credentials.ts'
import { inHome } from '../outside/config-files.ts'
import { metadataFields, safeUrl, send, temporaryKey } from '../outside/http.ts'
import { codeOf, Failure, type Outside, readObject } from '../outside/outside.ts'

/** The hosts of ECS and of EKS, which are on the machine of the container. */
const ecsOrigin = 'http://169.254.170.2'
const containerHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']

const limits = { timeoutMs: 5000, attempts: 3 }

/**
 * Returns the key of the container's role: on ECS, and by EKS Pod Identity; or why there is none.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export async function containerKey(outside: Outside): Promise<ApiKey | string> {
  const { variable } = outside
  const relative = variable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')
  const full = variable('AWS_CONTAINER_CREDENTIALS_FULL_URI')
  if (relative === undefined && full === undefined) {
    return 'neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set'
  }
  if (relative !== undefined && !/^\/(?![/\\])/.test(relative)) {
    throw new Failure('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with one slash')
  }
  const text = relative === undefined ? String(full) : ecsOrigin + relative
  const url = safeUrl(text, 'AWS_CONTAINER_CREDENTIALS_FULL_URI', containerHosts)
  const token = await containerToken(outside)
  const headers = {
    accept: 'application/json',
    ...(token !== undefined && { authorization: token }),
  }
  const who = `the endpoint of the container (${url.host})`
  const reply = await send(outside, url, { headers }, who, limits)
  if (reply.status !== 200) throw new Failure(`${who} responded with ${reply.status}`)
  return temporaryKey(readObject(reply.text), metadataFields, who, reply, outside.clock())
}

/** Returns what the endpoint asks for. The file changes while the container runs, so it is read each time. */
async function containerToken(outside: Outside): Promise<string | undefined> {
  const { variable } = outside
  const file = variable('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
  if (file === undefined) return checkToken(variable('AWS_CONTAINER_AUTHORIZATION_TOKEN'), '')
  const name = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'
  let text: string
  try {
    text = new TextDecoder().decode(await outside.readFile(inHome(outside, file)))
  } catch (error) {
    throw new Failure(`the file of ${name} cannot be read (${codeOf(error)})`)
  }
  return checkToken(text.trim(), '_FILE')
}

function checkToken(token: string | undefined, suffix: string): string | undefined {
  if (token === undefined || /^[\t\x20-\x7e]+$/.test(token)) return token
  throw new Failure(
    `AWS_CONTAINER_AUTHORIZATION_TOKEN${suffix} has no token that a header can have`,
  )
}

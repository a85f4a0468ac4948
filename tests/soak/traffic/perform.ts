import { setTimeout as delay } from 'node:timers/promises'
import { authFetch } from '@svc/auth-hooks'
import { presign } from '@svc/auth-sigv4/presign'
import type { ClientCall, ClientResponse, Connection } from '../../clients/client.ts'
import { accountOf, isPostedWithToken, type Operation } from '../plan/operation.ts'
import { hashOf, payloadOf } from '../plan/payload.ts'
import { pathOf } from '../service/faults.ts'
import { users } from '../service/users.ts'
import { describeFailure } from './failure.ts'
import { sourceOf, type UploadSource } from './source.ts'
import type { SoakStage } from './stage.ts'

/** The result of an operation. */
export interface OperationResult {
  readonly operation: Operation
  /** `accepted` where the caller got what it wanted; what {@link describeFailure} says where not. */
  readonly outcome: string
  /** The stack of its error; the error itself may hold the request, and with it what is looked for. */
  readonly stack?: string
  /** The body that it gave to its client. */
  readonly source?: UploadSource
}

/** Performs an operation. Never rejects. */
export async function perform(operation: Operation, stage: SoakStage): Promise<OperationResult> {
  const source = operation.body && sourceOf(operation, operation.body)
  const about = { operation, ...(source && { source }) }
  try {
    return { ...about, outcome: judged(operation, await run(operation, stage, source)) }
  } catch (error) {
    return { ...about, outcome: judged(operation, describeFailure(error)), stack: stackOf(error) }
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error)
}

function judged({ kind }: Operation, outcome: string): string {
  return isPostedWithToken(kind) && outcome === 'status 404' ? 'accepted' : outcome
}

async function run(operation: Operation, stage: SoakStage, source?: UploadSource): Promise<string> {
  const { kind, session, body } = operation
  const { service, sessions, connections } = stage
  const url = new URL(pathOf(operation), service.url)
  switch (kind) {
    case 'revoke':
      await service.ask({ ask: 'revoke', account: accountOf(session) })
      return 'accepted'
    case 'invalidate':
      await sessions.of(session).invalidate()
      return 'accepted'
    case 'list groups':
      return listGroups(operation, stage, connections.of(operation))
    case 'fresh session': {
      const connection = connections.fresh(operation)
      try {
        return await listGroups(operation, stage, connection)
      } finally {
        await connection.close?.()
      }
    }
    case 'uncovered':
      return sendFor(operation, stage, { method: 'POST', url: service.strayUrl, body: 'x' })
    case 'post with token':
    case 'post signed':
    case 'post, see other':
      return sendFor(operation, stage, { method: 'POST', url, ...bodyOf(source) })
    case 'post while revoked': {
      await sessions.of(session).getToken()
      const late = sendFor(operation, stage, { method: 'POST', url, ...bodyOf(source) })
      const outcome = late.catch(describeFailure)
      await service.ask({ ask: 'revoke', account: accountOf(session) })
      const replaced = await listGroups(operation, stage, connections.of(operation))
      return replaced === 'accepted' ? outcome : replaced
    }
    case 'put by link': {
      const link = await presign(connections.links, url, { method: 'PUT', expiresInSeconds: 600 })
      const response = await fetch(link, { method: 'PUT', ...bodyOf(source) })
      await response.arrayBuffer()
      return response.ok ? 'accepted' : `status ${response.status}`
    }
    case 'get':
    case 'get, left early':
    case 'get by link': {
      if (!body) throw new Error('there is nothing to get')
      const payload = payloadOf(operation.id, body)
      await putAhead(url, payload, stage)
      if (kind === 'get') return sendFor(operation, stage, { method: 'GET', url }, hashOf(payload))
      if (kind === 'get by link') {
        const link = await presign(connections.links, url, { expiresInSeconds: 600 })
        const response = await fetch(link)
        const found = hashOf(new Uint8Array(await response.arrayBuffer()))
        if (!response.ok) return `status ${response.status}`
        return found === hashOf(payload) ? 'accepted' : 'other content'
      }
      return leaveEarly(operation, stage, url)
    }
    default: {
      const isStream = body?.form === 'stream'
      const headers = { 'x-amz-decoded-content-length': String(body?.bytes) }
      return sendFor(operation, stage, {
        method: 'PUT',
        url,
        ...bodyOf(source),
        ...(isStream && { headers }),
      })
    }
  }
}

function bodyOf(source: UploadSource | undefined): Pick<ClientCall, 'body'> {
  return source ? { body: source.body } : {}
}

/** Sends as the operation says, and judges the response. */
async function sendFor(
  operation: Operation,
  stage: SoakStage,
  call: ClientCall,
  expectedHash?: string,
): Promise<string> {
  const response = await stage.connections.of(operation).send(withEnd(operation, stage, call))
  const text = await textOf(response)
  if (expectedHash !== undefined && response.status === 200) {
    return hashOf(Buffer.from(text)) === expectedHash ? 'accepted' : 'other content'
  }
  return outcomeOfResponse(operation, response, text)
}

async function listGroups(
  operation: Operation,
  stage: SoakStage,
  connection: Connection,
): Promise<string> {
  const url = new URL(`/user/groups?operation=${operation.id}`, stage.service.url)
  const response = await connection.send(withEnd(operation, stage, { method: 'GET', url }))
  return groupsOutcome(operation, response, await textOf(response))
}

function groupsOutcome({ session }: Operation, { status }: ClientResponse, text: string): string {
  const expected = JSON.stringify(users[accountOf(session)].groups)
  return status === 200 && text === expected ? 'accepted' : `status ${status}`
}

/** The outcome that a response means: if the emulator took the request for what it is. */
function outcomeOfResponse(operation: Operation, response: ClientResponse, text: string): string {
  const { id, kind, fault, body } = operation
  const { status } = response
  if (kind === 'post, see other') return groupsOutcome(operation, response, text)
  if (status !== 200) return `status ${status}`
  if (kind === 'post signed') {
    const bytes = payloadOf(id, body ?? { form: 'bytes', bytes: 0 }).byteLength
    const expected = { method: 'POST', path: `/V1/soak/${id}`, bytes }
    return text === JSON.stringify(expected) ? 'accepted' : `rubbish ${fault}`
  }
  return text === '' ? 'accepted' : `rubbish ${fault}`
}

/** The text of a response, which of an error openapi-fetch has read itself. */
function textOf(response: ClientResponse): Promise<string> {
  return response.status === 200 ? response.text() : response.text().catch(() => '')
}

/** Reads the first piece of a response and leaves the rest. */
async function leaveEarly(operation: Operation, stage: SoakStage, url: URL): Promise<string> {
  const call: ClientCall = { method: 'GET', url, streamed: true }
  const { send } = stage.connections.of(operation)
  const response = await send(withEnd(operation, stage, call)).catch((error: unknown) => {
    // axios hands over the response of a refusal unread, with its connection.
    Object(Object(Object(error).response).data).destroy?.()
    throw error
  })
  if (response.status !== 200) {
    await textOf(response)
    return `status ${response.status}`
  }
  for await (const _ of response.chunks()) break
  return 'accepted'
}

/** Puts an object by way of nothing that is tested. */
async function putAhead(url: URL, payload: Buffer, { connections }: SoakStage): Promise<void> {
  const body = new Uint8Array(payload)
  const response = await authFetch(connections.checking)(url, { method: 'PUT', body })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`what is to be read could not be put: ${response.status}`)
}

function withEnd(
  { end, retries, sharesSignal }: Operation,
  { signal }: SoakStage,
  call: ClientCall,
): ClientCall {
  const own = end?.by === 'abort' || end?.by === 'abort ahead' ? new AbortController() : undefined
  if (end?.by === 'abort ahead') own?.abort()
  if (end?.by === 'abort') void delay(end.afterMs).then(() => own?.abort())
  const given = own?.signal ?? (sharesSignal && !end ? signal : undefined)
  return {
    ...call,
    retries,
    ...(given && { signal: given }),
    ...(end?.by === 'timeout' && { timeoutMs: end.afterMs }),
  }
}

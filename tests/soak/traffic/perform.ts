import { setTimeout as delay } from 'node:timers/promises'
import { authFetch } from '@svc/auth-hooks'
import type { Answer, Call, Connection } from '../../clients/client.ts'
import { accountOf, isPostedWithToken, type Operation } from '../plan/operation.ts'
import { hashOf, payloadOf } from '../plan/payload.ts'
import { pathOf } from '../service/faults.ts'
import { users } from '../service/users.ts'
import { failureOf } from './failure.ts'
import { type Source, sourceOf } from './source.ts'
import type { Stage } from './stage.ts'
import { presign } from '@svc/auth-sigv4/presign'

/** What came of an operation. */
export interface Result {
  readonly operation: Operation
  /** `accepted` where the caller got what it wanted; what {@link failureOf} says where not. */
  readonly outcome: string
  /** Where its error comes from; the error itself may hold the request, and with it what is looked for. */
  readonly stack?: string
  /** The body that it gave to its client. */
  readonly source?: Source
}

/** Performs an operation. Never rejects. */
export async function perform(operation: Operation, stage: Stage): Promise<Result> {
  const source = operation.body && sourceOf(operation, operation.body)
  const about = { operation, ...(source && { source }) }
  try {
    return { ...about, outcome: judged(operation, await run(operation, stage, source)) }
  } catch (error) {
    return { ...about, outcome: judged(operation, failureOf(error)), stack: stackOf(error) }
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? String(error.stack) : String(error)
}

function judged({ kind }: Operation, outcome: string): string {
  return isPostedWithToken(kind) && outcome === 'status 404' ? 'accepted' : outcome
}

async function run(operation: Operation, stage: Stage, source?: Source): Promise<string> {
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
      return send(operation, stage, { method: 'POST', url: service.strayUrl, body: 'x' })
    case 'post with token':
    case 'post signed':
    case 'post, see other':
      return send(operation, stage, { method: 'POST', url, ...bodyOf(source) })
    case 'post while revoked': {
      await sessions.of(session).getToken()
      const late = send(operation, stage, { method: 'POST', url, ...bodyOf(source) })
      const outcome = late.catch(failureOf)
      await service.ask({ ask: 'revoke', account: accountOf(session) })
      const replaced = await listGroups(operation, stage, connections.of(operation))
      return replaced === 'accepted' ? outcome : replaced
    }
    case 'put by link': {
      const link = await presign(connections.links, url, { method: 'PUT', expiresInSeconds: 600 })
      const answer = await fetch(link, { method: 'PUT', ...bodyOf(source) })
      await answer.arrayBuffer()
      return answer.ok ? 'accepted' : `status ${answer.status}`
    }
    case 'get':
    case 'get, left early':
    case 'get by link': {
      if (!body) throw new Error('there is nothing to get')
      const payload = payloadOf(operation.id, body)
      await putAhead(url, payload, stage)
      if (kind === 'get') return send(operation, stage, { method: 'GET', url }, hashOf(payload))
      if (kind === 'get by link') {
        const link = await presign(connections.links, url, { expiresInSeconds: 600 })
        const answer = await fetch(link)
        const found = hashOf(new Uint8Array(await answer.arrayBuffer()))
        if (!answer.ok) return `status ${answer.status}`
        return found === hashOf(payload) ? 'accepted' : 'other content'
      }
      return leaveEarly(operation, stage, url)
    }
    default: {
      const isStream = body?.form === 'stream'
      const headers = { 'x-amz-decoded-content-length': String(body?.bytes) }
      return send(operation, stage, {
        method: 'PUT',
        url,
        ...bodyOf(source),
        ...(isStream && { headers }),
      })
    }
  }
}

function bodyOf(source: Source | undefined): Pick<Call, 'body'> {
  return source ? { body: source.body } : {}
}

/** Sends as the operation says, and judges the answer. */
async function send(
  operation: Operation,
  stage: Stage,
  call: Call,
  expectedHash?: string,
): Promise<string> {
  const answer = await stage.connections.of(operation).send(withEnd(operation, stage, call))
  const text = await textOf(answer)
  if (expectedHash !== undefined && answer.status === 200) {
    return hashOf(Buffer.from(text)) === expectedHash ? 'accepted' : 'other content'
  }
  return outcomeOf(operation, answer, text)
}

async function listGroups(
  operation: Operation,
  stage: Stage,
  connection: Connection,
): Promise<string> {
  const url = new URL(`/user/groups?operation=${operation.id}`, stage.service.url)
  const answer = await connection.send(withEnd(operation, stage, { method: 'GET', url }))
  return groupsOutcome(operation, answer, await textOf(answer))
}

function groupsOutcome({ session }: Operation, { status }: Answer, text: string): string {
  const expected = JSON.stringify(users[accountOf(session)].groups)
  return status === 200 && text === expected ? 'accepted' : `status ${status}`
}

/** The answers of the emulator that say that it took a request for what it is. */
function outcomeOf(operation: Operation, answer: Answer, text: string): string {
  const { id, kind, fault, body } = operation
  const { status } = answer
  if (kind === 'post, see other') return groupsOutcome(operation, answer, text)
  if (status !== 200) return `status ${status}`
  if (kind === 'post signed') {
    const bytes = payloadOf(id, body ?? { form: 'bytes', bytes: 0 }).byteLength
    const expected = { method: 'POST', path: `/V1/soak/${id}`, bytes }
    return text === JSON.stringify(expected) ? 'accepted' : `rubbish ${fault}`
  }
  return text === '' ? 'accepted' : `rubbish ${fault}`
}

/** What an answer says, which of an error openapi-fetch has read itself. */
function textOf(answer: Answer): Promise<string> {
  return answer.status === 200 ? answer.text() : answer.text().catch(() => '')
}

/** Reads the first piece of an answer and leaves the rest. */
async function leaveEarly(operation: Operation, stage: Stage, url: URL): Promise<string> {
  const call: Call = { method: 'GET', url, streamed: true }
  const answer = await stage.connections.of(operation).send(withEnd(operation, stage, call))
  for await (const _ of answer.chunks()) break
  return answer.status === 200 ? 'accepted' : `status ${answer.status}`
}

/** Puts an object by way of nothing that is tested. */
async function putAhead(url: URL, payload: Buffer, { connections }: Stage): Promise<void> {
  const body = new Uint8Array(payload)
  const answer = await authFetch(connections.checking)(url, { method: 'PUT', body })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`what is to be read could not be put: ${answer.status}`)
}

function withEnd({ end, retries, sharesSignal }: Operation, { signal }: Stage, call: Call): Call {
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

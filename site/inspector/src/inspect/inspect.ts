import { AuthError } from '@svc/auth-hooks'
import { readCurl } from '../input/curl.ts'
import { readFields } from '../input/fields.ts'
import { listHarEntries, readHarEntries, readHarEntry } from '../input/har.ts'
import { describeInputError, InputError } from '../input/input-error.ts'
import { maxTextBytes, type PastedRequest, readUrl } from '../input/pasted-request.ts'
import { readRawHttp } from '../input/raw-http.ts'
import { type InputKind, recognise } from '../input/recognise.ts'
import { findToken, tokenOfHeaders } from '../input/token-text.ts'
import { inspectRequest } from './inspect-request.ts'
import { inspectToken } from './inspect-token.ts'
import type { FailedInspection, Inspection, InspectionTask } from './inspection.ts'
import { readPastedResponse } from './pasted-response.ts'

/** The most entries of a HAR that are listed. */
const maxListed = 200

/** The entries of the last HAR, since a person chooses several of one. */
let lastHar: { readonly text: string; readonly entries: readonly unknown[] } | undefined

/** Takes apart what was pasted. Never throws, whatever it is. */
export async function inspect(task: InspectionTask): Promise<Inspection> {
  const isFields = task.kind === 'fields'
  const isEmpty = isFields ? task.fields.url.trim() === '' : task.text.trim() === ''
  if (isEmpty) return { type: 'empty' }
  const kind = task.kind === 'auto' ? recognise(task.text) : task.kind
  let where: FailedInspection['where'] = 'request'
  try {
    if (task.text.length > maxTextBytes) {
      const size = Math.round(task.text.length / 1024 / 1024)
      throw new InputError('text', `it has ${size} MB; at most 64 MB are read.`)
    }
    if (kind === 'token') return inspectToken(tokenIn(task.text), kind, task)
    const entries = kind === 'har' ? entriesOf(task.text) : undefined
    const isChosen = entries?.length === 1 || task.entry !== undefined
    if (entries && !isChosen) {
      const { found, list } = listHarEntries(entries, task.filter, maxListed)
      return { type: 'har', total: entries.length, found, list }
    }
    const request = readRequest(kind, task, entries)
    where = 'response'
    const response = readPastedResponse(task.response) ?? request.response
    where = 'key'
    const token = tokenOfHeaders(request.headers)
    if (token !== undefined) return inspectToken(token, kind, task)
    return await inspectRequest(request, kind, task, response)
  } catch (error) {
    return { type: 'failed', kind, where: whereOf(error, where), message: messageOf(error) }
  }
}

function tokenIn(text: string): string {
  const token = findToken(text)
  if (token !== undefined) return token
  throw new InputError(
    'token',
    'this is no JSON Web Token: three parts of letters, digits, - and _, with points between.',
    1,
  )
}

function entriesOf(text: string): readonly unknown[] {
  if (lastHar?.text !== text) lastHar = { text, entries: readHarEntries(text) }
  return lastHar.entries
}

function readRequest(
  kind: Exclude<InputKind, 'token'>,
  { text, fields, entry }: InspectionTask,
  entries: readonly unknown[] | undefined,
): PastedRequest {
  switch (kind) {
    case 'curl':
      return readCurl(text)
    case 'har':
      return readHarEntry(entries?.[entry ?? 0])
    case 'url': {
      const { url, secrets, notes } = readUrl(text, 'URL', 1)
      // Clients write the host in small letters and without a default port, and sign it so.
      const { host } = new URL(url)
      const sent = url.replace(/^(https?:\/\/)[^/?]*/, (_all, scheme: string) => scheme + host)
      return {
        method: 'GET',
        url: sent,
        headers: [],
        body: undefined,
        isUrlAlone: true,
        secrets,
        notes,
      }
    }
    case 'fields':
      return readFields(fields)
    case 'http':
  }
  return readRawHttp(text)
}

function whereOf(error: unknown, where: FailedInspection['where']): FailedInspection['where'] {
  // What reads the request and the key tells of options; a fault of neither has no place.
  if (error instanceof TypeError && /credentials|region|service/.test(error.message)) return 'key'
  return where === 'key' ? 'request' : where
}

function messageOf(error: unknown): string {
  if (error instanceof InputError) return describeInputError(error)
  if (AuthError.is(error) || error instanceof TypeError) {
    return error.message.replace(/^\[@svc\/[\w-]+\] (?:\w+: )?/, '').slice(0, 500)
  }
  // No other error is one of what was pasted; its text might quote it.
  return 'This could not be read, by a fault of the page itself.'
}

import { createHash } from 'node:crypto'
import { type Case, isEarly } from './case.ts'
import type { Answer } from './clients/client.ts'
import { constantHeader, type Ending, type Observation } from './observe.ts'
import type { Arrived } from './server/plan.ts'
import type { Origins } from './server/respond.ts'

/** One aspect in which the adapter and the bare client differ. */
export interface Difference {
  readonly aspect: string
  readonly bare: string
  readonly ours: string
}

/** The aspects of an observation as text, so that two of them can be compared. */
export type Aspects = Readonly<Record<string, string>>

/** Returns what differs between two sets of aspects. */
export function differencesOf(bare: Aspects, ours: Aspects): Difference[] {
  return [...new Set([...Object.keys(bare), ...Object.keys(ours)])].flatMap((aspect) => {
    const [was, is] = [bare[aspect] ?? '(none)', ours[aspect] ?? '(none)']
    return was === is ? [] : [{ aspect, bare: was, ours: is }]
  })
}

/** Describes an observation, without what changes from call to call. */
export function aspectsOf(one: Case, seen: Observation, origins: Origins): Aspects {
  const clean = (text: string): string => normalized(text, seen.id, origins)
  const own = seen.arrived.filter(({ path }) => path !== '/probe')
  const begun = seen.begun.filter((path) => path !== '/probe')
  const aspects: Record<string, string> = {
    ...endingAspects(seen.ending, clean),
    probe: clean(probeText(seen.probe)),
    stray: seen.stray.map(clean).join('; '),
    'requests begun': begun.join(' '),
  }
  // A client that has its response may leave its upload unfinished, sooner or later.
  const settled = isEarly(one) ? [] : own
  aspects['requests executed'] = settled
    .map(({ path, isComplete }) => `${path}${isComplete ? '' : ' (incomplete)'}`)
    .join(' ')
  settled.forEach((request, n) => Object.assign(aspects, requestAspects(request, n + 1, clean)))
  return aspects
}

function endingAspects(ending: Ending, clean: (text: string) => string): Record<string, string> {
  if ('error' in ending) return errorAspects(ending.error, clean)
  const { answer } = ending
  return {
    ...answerAspects(answer, clean),
    ...(answer.bodyError !== undefined && {
      'error of the body': Object.values(errorAspects(answer.bodyError, clean)).join(' | '),
    }),
  }
}

function answerAspects(
  { status, headers, body, shown = {} }: Answer,
  clean: (text: string) => string,
) {
  const lines = headers.filter(([name]) => name !== 'connection' && name !== 'keep-alive')
  return {
    status: `${status}`,
    'response headers': clean(lines.map((line) => line.join(': ')).join('\n')),
    'response body': clean(body),
    ...Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [`response ${name}`, clean(String(value))]),
    ),
  }
}

function errorAspects(error: unknown, clean: (text: string) => string): Record<string, string> {
  const cause: unknown = Reflect.get(Object(error), 'cause')
  const response = Object(Reflect.get(Object(error), 'response')) as Record<string, unknown>
  return {
    'error name': textOf(error, 'name'),
    'error code': textOf(error, 'code'),
    'error class': Object(error).constructor.name,
    'error message': clean(textOf(error, 'message')),
    'error cause': clean(
      cause ? `${textOf(cause, 'name')} ${textOf(cause, 'code')} ${textOf(cause, 'message')}` : '',
    ),
    'error status': textOf(response, 'status') || textOf(response, 'statusCode'),
  }
}

function textOf(value: unknown, key: string): string {
  return String(Reflect.get(Object(value), key) ?? '')
}

/** The probe has its own answer, or a new connection was refused to it. */
function probeText(probe: Ending): string {
  if ('error' in probe) return `error: ${textOf(probe.error, 'message')}`
  return probe.answer.bodyError === undefined ? probe.answer.body : 'a body that failed'
}

function requestAspects(
  request: Arrived,
  number: number,
  clean: (text: string) => string,
): Record<string, string> {
  const { method, target, headers, bytes, framing, faults, origin } = request
  const name = `request ${number}`
  const boundary = /boundary="?([^";\r\n]+)/.exec(valueOf(headers, 'content-type'))?.[1]
  const stable = (value: string): string =>
    clean(boundary ? value.replaceAll(boundary, 'BOUNDARY') : value)
  const written = stable(bytes.toString('latin1'))
  // Some clients name one boundary, and write another.
  const other = boundary && /^--([\w-]+)\r\n/.exec(written)?.[1]
  const body = other && other !== 'BOUNDARY' ? written.replaceAll(other, 'OTHER') : written
  const lines = headers
    .map(([header, value]): [string, string] => [
      header,
      // The boundaries of two forms may be of two lengths.
      boundary && header.toLowerCase() === 'content-length' && Number(value) === bytes.length
        ? 'right'
        : stable(value),
    ])
    .filter(([header]) => !['connection', constantHeader[0]].includes(header.toLowerCase()))
  const isFramed = (header: string): boolean =>
    /^(?:content-length|transfer-encoding)$/i.test(header)
  return {
    [`${name} line`]: `${origin} ${method} ${clean(target)}`,
    // The order of fields with different names has no meaning (RFC 9110, section 5.3).
    [`${name} headers`]: lines
      .filter(([header]) => !isFramed(header))
      .sort(([a], [b]) => a.toLowerCase().localeCompare(b.toLowerCase()))
      .map(lowerCase)
      .join('\n'),
    [`${name} header names`]: lines
      .map(([header]) => header)
      .sort((a, b) => a.localeCompare(b))
      .join(' '),
    [`${name} framing`]: [
      framing,
      ...lines.filter(([header]) => isFramed(header)).map(lowerCase),
      ...faults,
    ].join(', '),
    [`${name} body`]: body.length > 1000 ? createHash('sha256').update(body).digest('hex') : body,
  }
}

function lowerCase([name, value]: readonly [string, string]): string {
  return `${name.toLowerCase()}: ${value}`
}

function valueOf(headers: Arrived['headers'], wanted: string): string {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
}

function normalized(text: string, id: string, origins: Origins): string {
  let clean = text.replaceAll(id, 'ID')
  for (const [name, origin] of Object.entries(origins)) {
    clean = clean.replaceAll(origin, `http://${name}`)
    clean = clean.replaceAll(origin.slice('http://'.length), `${name}:port`)
  }
  return clean
}

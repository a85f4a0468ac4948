import type { Difference } from '@svc/auth-sigv4/diagnose'
import { hideSecrets, listSteps, redact } from '@svc/auth-sigv4/inspect'
import { decode, textOf } from '../input/pasted-request.ts'
import type { InputKind } from '../input/recognise.ts'
import {
  cut,
  type Finding,
  type RequestInspection,
  type ShownLine,
  type ShownRow,
  type ShownStep,
} from './inspection.ts'
import { computedAlgorithm, type SignedParts } from './signed-parts.ts'
import { instant } from './presigned.ts'

/** All that was found out about a request. */
export interface FoundOut {
  readonly kind: InputKind
  readonly findings: readonly Finding[]
  readonly differences: readonly Difference[]
  readonly parameters: readonly ShownRow[]
  readonly notes: readonly string[]
  readonly secrets: readonly string[]
  readonly hasSecrets: boolean
}

/** The most lines of a step that are shown. */
const maxLines = 300

/** Writes everything that was found out as it is shown: texts for bytes, secrets shortened, long lines cut. */
export function showRequest(parts: SignedParts, found: FoundOut): RequestInspection {
  const { request, read, explanation, key } = parts
  // What is too long to be searched is cut before.
  const hide = hideSecrets(found.secrets.map((value) => value.slice(0, 10_000)))
  const show = (text: string): string => cut(hide(textOf(text).slice(0, 200_000)))
  const isComputed = read?.algorithm === computedAlgorithm && key.secretAccessKey !== ''
  const { canonicalRequest, stringToSign, signature } = explanation
  const differences = new Map(found.differences.slice(0, maxLines).map((one) => [one.line, one]))
  const steps = listSteps({ canonicalRequest, stringToSign, signature: '' })
    .filter(({ title }) => title !== 'Signature')
    .map(({ title, lines }): ShownStep => {
      const shown = lines.slice(0, maxLines).map((line): ShownLine => {
        const names = title === 'Signing key' ? [] : namesOf(line.line)
        const differing = names
          .map((name) => take(differences, name))
          .filter((one) => one !== undefined)
        const side =
          differing.length === 0
            ? { text: show(redactLine(line.line, line.text)) }
            : sideOf(line.line, line.text, differing, show)
        return Object.assign({}, line, side)
      })
      const more = moreLines(lines.length - shown.length)
      return { title, lines: [...withMissing(title, shown, differences, show), ...more] }
    })
  const others = [...differences.values()].map(({ line, ours, theirs, hint }): ShownLine => {
    return {
      name: line,
      line,
      text: show(ours),
      theirs: show(theirs),
      hint: show(hint),
      clause: '',
    }
  })
  return {
    type: 'request',
    kind: found.kind,
    form: read?.form ?? 'unsigned',
    method: request.method,
    url: show(redactUrl(request.url)),
    findings: found.findings.map(({ outcome, verdict, title, meaning, remarks }) => {
      return { outcome, verdict, title, meaning: show(meaning), remarks: remarks.map(show) }
    }),
    facts: showRows(factsOf(parts), show),
    parameters: showRows(found.parameters, show),
    steps,
    otherLines: [...others, ...moreLines(found.differences.length - maxLines)],
    signature: {
      borne: cut(read?.signature ?? '', 200),
      computed: isComputed || (!read && key.secretAccessKey !== '') ? signature : '',
    },
    notes: found.notes.map(show),
    hasSecrets: found.hasSecrets,
  }
}

function showRows(rows: readonly ShownRow[], show: (text: string) => string): ShownRow[] {
  return rows.map(({ name, value, meaning }) => ({ name, value: show(value), meaning }))
}

function take(map: Map<string, Difference>, name: string): Difference | undefined {
  const one = map.get(name)
  map.delete(name)
  return one
}

function moreLines(left: number): ShownLine[] {
  const text = `… ${left} more lines are not shown`
  return left > 0 ? [{ name: 'more', line: '', text, clause: '' }] : []
}

// A diagnosis compares the parts of the scope one by one.
function namesOf(line: string): string[] {
  return line === 'scope' ? ['scope date', 'region', 'service', 'scope end'] : [line]
}

/** Writes the server's line beside ours. */
function sideOf(
  line: string,
  text: string,
  differing: readonly Difference[],
  show: (text: string) => string,
): Pick<ShownLine, 'text' | 'theirs' | 'hint'> {
  const hint = show(differing.map((one) => one.hint).join(' '))
  const [first] = differing
  if (line === 'scope') {
    const parts = text.split('/')
    for (const { line: name, theirs } of differing) parts[namesOf('scope').indexOf(name)] = theirs
    return { text: show(text), theirs: show(parts.join('/')), hint }
  }
  const prefix = line.startsWith('header ') ? `${line.slice(7)}:` : ''
  // A header that is missing on a side has no line there.
  const side = (value = ''): string => (value === '' ? '' : show(`${prefix}${value}`))
  return { text: side(first?.ours), theirs: side(first?.theirs), hint }
}

/** Puts headers that only the server has in their places. */
function withMissing(
  title: string,
  lines: readonly ShownLine[],
  differences: Map<string, Difference>,
  show: (text: string) => string,
): ShownLine[] {
  if (title !== 'Canonical request') return [...lines]
  const clause = lines.find(({ line }) => line === 'header host')?.clause ?? ''
  // By the line that each stands before, since a server may have thousands.
  const before = Array.from({ length: lines.length + 1 }, (): ShownLine[] => [])
  const names = [...differences.keys()].filter((name) => name.startsWith('header '))
  for (const name of names.toSorted()) {
    const { theirs = '', ours = '', hint = '' } = take(differences, name) ?? {}
    const place = lines.findIndex(
      ({ line }) => line === '' || (line.startsWith('header ') && line > name),
    )
    before.at(place)?.push({
      name: 'header',
      line: name,
      text: show(ours),
      theirs: theirs === '' ? '' : show(`${name.slice(7)}:${theirs}`),
      hint: show(hint),
      clause,
    })
  }
  return before.flatMap((added, index) => added.concat(lines.slice(index, index + 1)))
}

function redactLine(line: string, text: string): string {
  if (line === 'query') return redactQuery(text)
  if (!line.startsWith('header ')) return text
  const name = line.slice('header '.length)
  return `${name}:${redact(name, text.slice(name.length + 1))}`
}

function redactQuery(query: string): string {
  return query
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=')
      if (equals < 0) return piece
      const name = piece.slice(0, equals)
      return `${name}=${redact(decode(name), piece.slice(equals + 1))}`
    })
    .join('&')
}

function redactUrl(url: string): string {
  return url.replace(/\?(.*)$/s, (_all, query: string) => `?${redactQuery(query)}`)
}

function factsOf({ read, key, explanation }: SignedParts): ShownRow[] {
  if (!read) {
    const [, , scope = ''] = explanation.stringToSign.split('\n')
    const access = key.accessKeyId || 'not given; ACCESS-KEY-ID stands in its place'
    return [
      { name: 'access key', value: access, meaning: '' },
      { name: 'scope', value: scope, meaning: 'Day, region and service for which it is signed.' },
      { name: 'signed headers', value: explanation.signedHeaders, meaning: '' },
    ]
  }
  const place = read.form === 'query' ? 'the query: a presigned URL' : 'the Authorization header'
  return [
    { name: 'place', value: place, meaning: 'Where the signature stands.' },
    { name: 'access key', value: read.accessKeyId, meaning: 'Which secret signed.' },
    {
      name: 'signed at',
      value: read.signedAt === undefined ? 'unknown' : instant(read.signedAt),
      meaning: read.form === 'header' ? 'Servers accept it for some 15 minutes.' : '',
    },
    { name: 'region', value: read.region, meaning: 'The region in the scope.' },
    { name: 'service', value: read.service, meaning: 'The service in the scope.' },
    {
      name: 'signed headers',
      value: read.signedHeaders.join(', '),
      meaning: 'No other is covered.',
    },
  ]
}

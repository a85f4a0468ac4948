import type { Diagnosis, Difference } from '@svc/auth-sigv4/diagnose'
import type { Paint } from '../../output/colours.ts'
import { printable } from '../../output/text.ts'

/** Everything that a diagnosis found out. */
export interface Report {
  readonly status: number | undefined
  /** `failed`: the service did not get to the credential, since it is busy or broken. */
  readonly outcome: 'accepted' | 'refused' | 'failed'
  /** The conclusion in one sentence. */
  readonly meaning: string
  readonly verdict?: Diagnosis['verdict']
  /** The lines that differ, in the order of the canonical request. */
  readonly differences: readonly Difference[]
  /** Further remarks, in sentences. */
  readonly notes: readonly string[]
  readonly probe?: ProbeReport
}

/** The requests of a probe, in their order. */
export interface ProbeReport {
  readonly attempts: readonly { readonly name: string; readonly status: number }[]
  /** The variant that was accepted, and what to change. */
  readonly accepted?: { readonly name: string; readonly remedy: string }
  /** Variants that were not tried, because the service asked for a pause. */
  readonly untried: readonly string[]
}

/** Reads the outcome of a request off the status of its response. */
export function outcomeOf(status: number): Report['outcome'] {
  // Services check a signature before they look for the resource.
  if ((status >= 200 && status < 300) || [304, 404, 409, 412, 416].includes(status)) {
    return 'accepted'
  }
  return status === 429 || status >= 500 ? 'failed' : 'refused'
}

const doubt =
  'Nothing in the response shows that this server checks signatures: see if it gives the same without one.'

/** Reports a response that says nothing against the credential; `undefined` if it refuses the request. */
export function reportUnrefused(
  status: number,
  headers: Headers,
  credential: 'signature' | 'token',
): Report | undefined {
  const outcome = outcomeOf(status)
  if (outcome === 'accepted') {
    const missing =
      status === 404 ? '; there is nothing at this path: check it, and the base URL' : ''
    const isStore = [...headers.keys()].some((name) => name.startsWith('x-amz-'))
    const isSure = credential === 'token' || isStore
    const meaning = `${status}: the service ${isSure ? 'accepted' : 'did not refuse'} the ${credential}${missing}.`
    const notes = isSure ? [] : [doubt]
    return { status, outcome, meaning, differences: [], notes }
  }
  if (outcome === 'refused') return undefined
  const meaning = `${status}: the service is busy or broken, which says nothing about the ${credential}.`
  const retryAfter = headers.get('retry-after')
  const notes = retryAfter === null ? [] : [`It asks to wait: Retry-After is ${retryAfter}.`]
  return { status, outcome, meaning, differences: [], notes }
}

/** Puts a report together from the diagnosis of a refused signature, whose summary holds all of it as a text. */
export function reportOf(
  status: number,
  { verdict, differences, summary }: Diagnosis,
  notes: readonly string[],
): Report {
  const [meaning = '', ...paragraphs] = summary.split('\n\n')
  // The lines that differ are shown otherwise.
  const remarks = paragraphs.filter((text) => !/^(?:.*\n {2}ours: {3}|And \d+ more\.$)/.test(text))
  const lines = remarks.flatMap((remark) => remark.split('\n'))
  return {
    status,
    outcome: outcomeOf(status),
    meaning: forShell(meaning),
    verdict,
    differences: differences.map((one) => ({ ...one, hint: forShell(one.hint) })),
    notes: [...lines.map(forShell), ...notes],
  }
}

/** The most lines that are shown. */
const maxDifferences = 12

/** Writes a report for people. */
export function formatReport(report: Report, paint: Paint): string {
  const { outcome, meaning, verdict, differences, notes, probe } = report
  return [
    paint(colourOf(outcome), printable(meaning)),
    verdict && verdict !== 'unknown' && `Verdict: ${paint('bold', verdict)}`,
    ...differences
      .slice(0, maxDifferences)
      .map((difference) => formatDifference(difference, paint)),
    differences.length > maxDifferences && `And ${differences.length - maxDifferences} more.`,
    notes.map(printable).join('\n'),
    probe && formatProbe(probe, paint),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The most that is shown of a line. */
const maxCharacters = 160

function formatDifference({ line, ours, theirs, hint }: Difference, paint: Paint): string {
  const [a, b] = [printable(ours), printable(theirs)]
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  // Long lines begin shortly before they part, on both sides at the same place.
  const from = Math.max(a.length, b.length) > maxCharacters ? Math.max(0, start - 40) : 0
  const mark = (text: string, colour: 'red' | 'green'): string => {
    if (text === '') return '(none)'
    const end = from + maxCharacters
    const different = text.slice(start, end)
    const shown = text.slice(from, start) + (different && paint(colour, different))
    return `${from > 0 ? '…' : ''}${shown}${text.length > end ? '…' : ''}`
  }
  const indent = ' '.repeat(start - from + (from > 0 ? 1 : 0))
  return [
    paint('bold', printable(line)),
    `  ours    ${mark(a, 'red')}`,
    `  theirs  ${mark(b, 'green')}`,
    ...(a === '' || b === '' ? [] : [`          ${indent}${paint('dim', '^')}`]),
    `  ${printable(hint.slice(0, 1000))}`,
  ].join('\n')
}

function colourOf(outcome: Report['outcome']): 'green' | 'red' {
  return outcome === 'accepted' ? 'green' : 'red'
}

function formatProbe({ attempts, accepted, untried }: ProbeReport, paint: Paint): string {
  const count = attempts.length
  const lines = attempts.map(
    ({ name, status }) =>
      `  ${paint(colourOf(outcomeOf(status)), String(status))}  ${printable(name)}`,
  )
  const conclusion = accepted
    ? [`The service accepts the request ${accepted.name}.`, accepted.remedy]
    : [
        'None of these was accepted. But for a clock and a region that the service names, each was tried alone, so two causes at a time are not found.',
        'What is left: the secret of another key or environment, a key without permission, or a proxy that changes the request otherwise.',
      ]
  const rest = untried.length === 0 ? [] : [`Not tried: ${untried.join('; ')}.`]
  return [
    [paint('bold', `Probe: ${count} ${count === 1 ? 'request' : 'requests'}`), ...lines].join('\n'),
    [...conclusion, ...rest].map(printable).join('\n'),
  ].join('\n\n')
}

/** What a diagnosis says to programs, and what a user of the command does in its place. */
const sayings: readonly (readonly [program: RegExp, shell: string])[] = [
  [/give the option region: '([\w.-]+)'/g, '--region $1, or SVC_AUTH_REGION=$1'],
  [/give the option service/g, 'no flag does that; in a program, $&'],
  [/`svc-auth diagnose --probe` tries the usual causes; explain\(auth, …\)/g, 'svc-auth explain'],
  [/, or pass the clock option/g, ''],
  [/expiresInSeconds/g, '--expires'],
  [/ or with different options \(signHeaders\),/g, ''],
  [/\(the payload option or (x-amz-content-sha256)\)/g, '($1)'],
  [
    /Pass credentials as a function that returns expiresAt, and they are renewed ahead of time\./g,
    'A credential_process that prints an Expiration is run again ahead of it.',
  ],
]

/** Returns a sentence of a diagnosis with flags in the place of the library's options. */
function forShell(sentence: string): string {
  return sayings.reduce((text, [program, shell]) => text.replace(program, shell), sentence)
}

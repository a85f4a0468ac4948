import {
  maxSharedLines,
  maxSharedText,
  type SharedExplanation,
  type SharedLine,
  shareLine,
  sharedTitles,
} from './shared-explanation.ts'

const prefix = '#shared='

/** The longest fragment that is read. */
const maxLength = 64 * 1024

/** Writes what is shared as the fragment of a URL, which browsers send to nobody. */
export function writeFragment(shared: SharedExplanation): string {
  const bytes = new TextEncoder().encode(JSON.stringify(shared))
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return prefix + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Tells if a fragment is one of a shared link. */
export function isSharedFragment(fragment: string): boolean {
  return fragment.startsWith(prefix)
}

/** Reads the fragment of a shared link; `undefined` where it is none, since anyone can write one. */
export function readFragment(fragment: string): SharedExplanation | undefined {
  if (!isSharedFragment(fragment) || fragment.length > maxLength) return undefined
  try {
    const base64 = fragment.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return explanationOf(json)
  } catch {
    return undefined
  }
}

const forms = ['header', 'query', 'unsigned'] as const

function explanationOf(json: unknown): SharedExplanation | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const read = (name: string): unknown =>
    Object.hasOwn(json, name) ? Reflect.get(json, name) : undefined
  const form = forms.find((one) => one === read('form'))
  const findings: unknown = read('findings')
  const canonicalRequest = linesOf(read('canonicalRequest'))
  const stringToSign = linesOf(read('stringToSign'))
  const isKnown = read('version') === 1 && form !== undefined && Array.isArray(findings)
  if (!isKnown || !canonicalRequest || !stringToSign) return undefined
  const titles = findings.filter((one): one is string => typeof one === 'string')
  return {
    version: 1,
    form,
    findings: [...new Set(titles)].filter((title) => sharedTitles.has(title)),
    canonicalRequest,
    stringToSign,
  }
}

function linesOf(value: unknown): SharedLine[] | undefined {
  if (!Array.isArray(value) || value.length > maxSharedLines) return undefined
  const lines: SharedLine[] = []
  for (const one of value) {
    if (typeof one !== 'object' || one === null) return undefined
    const [line, text, theirs]: unknown[] = ['line', 'text', 'theirs'].map((name) =>
      Object.hasOwn(one, name) ? Reflect.get(one, name) : undefined,
    )
    if (!isShort(line) || !isShort(text) || !(theirs === undefined || isShort(theirs))) {
      return undefined
    }
    const given = theirs === undefined ? { line, text } : { line, text, theirs }
    const shared = shareLine(given)
    // What this page would not have written is no link of this page.
    const isOurs = shared.line === line && shared.text === text && shared.theirs === given.theirs
    if (!isOurs) return undefined
    lines.push(shared)
  }
  return lines
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxSharedText
}

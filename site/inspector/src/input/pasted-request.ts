import { InputError } from './input-error.ts'

/** A header as it stood in the text, which is sent as UTF-8. */
export type HeaderLine = readonly [name: string, value: string]

/** A request as it was pasted, in whatever form. */
export interface PastedRequest {
  readonly method: string
  /** The whole URL, without user name, password and fragment; its path and query as they came. */
  readonly url: string
  readonly headers: readonly HeaderLine[]
  /** The body; `undefined` where the text holds none or cannot tell it. */
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** `true` for a form whose boundary only its sender knew. */
  readonly isForm?: boolean
  /** `true` where there is a URL alone: its method is a guess, and its headers are not known. */
  readonly isUrlAlone?: boolean
  /** Values that must not be shown, such as the password of a URL. */
  readonly secrets: readonly string[]
  /** A key that came along. */
  readonly key?: Partial<PastedKey>
  /** The response that came along. */
  readonly response?: PastedResponse
  /** Remarks for the person who pasted it, in sentences. */
  readonly notes: readonly string[]
}

/** An access key with its place, as fields of a form have it: empty where it is not given. */
export interface PastedKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly region: string
  readonly service: string
}

/** The response of a server as it was pasted. */
export interface PastedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The most that is read of a text. */
export const maxTextBytes: number = 64 * 1024 * 1024

/** The longest URL, which is far more than any server takes. */
const maxUrlLength = 256 * 1024

/** The most headers of a request. */
export const maxHeaders = 500

/** Tells if a text can be a method or the name of a header. */
export function isHttpName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)
}

/** Takes user name, password and fragment off a URL, whose other parts stay as they came. */
export function readUrl(
  text: string,
  part: string,
  line?: number,
): { url: string; secrets: string[]; notes: string[] } {
  const [, scheme = '', authority = '', rest = ''] =
    /^(https?):\/\/([^/?#]*)([^#]*)/is.exec(text.trim()) ?? []
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  if (text.length > maxUrlLength) {
    const size = Math.round(text.length / 1024)
    throw new InputError(part, `the URL has ${size} kB; at most 256 kB are read.`, line)
  }
  const url = `${scheme.toLowerCase()}://${host}${rest.startsWith('?') ? '/' : ''}${rest}`
  // oxlint-disable-next-line no-control-regex -- no client sends them, and parsers of URLs leave them out
  if (/[\0-\x1f\x7f]/.test(url)) {
    throw new InputError(
      part,
      'the URL has a line break, a tab or another control character.',
      line,
    )
  }
  if (host === '' || host.includes('\\') || !URL.canParse(url)) {
    throw new InputError(
      part,
      'there is no absolute URL with http:// or https:// and a host.',
      line,
    )
  }
  if (at < 0) return { url, secrets: [], notes: [] }
  const user = authority.slice(0, at)
  return {
    url,
    secrets: [user, ...user.split(':')].flatMap((one) => [one, decode(one)]),
    notes: ['The user name and the password of the URL are left out; no signature covers them.'],
  }
}

/** Decodes percent escapes of a text where it has any. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the value of the first header of a name. */
export function headerOf(headers: readonly HeaderLine[], name: string): string | undefined {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1]
}

const encoder = new TextEncoder()

/** Returns the UTF-8 bytes of a text. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

/** Returns the UTF-8 bytes of a text with one character for each, as headers are signed. */
export function byteString(text: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the same in both
  if (/^[\0-\x7f]*$/.test(text)) return text
  let bytes = ''
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

/** Returns the text of a byte string; the same where it is no UTF-8. */
export function textOf(bytes: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the same in both
  if (/^[\0-\x7f]*$/.test(bytes) || /[^\0-\xff]/.test(bytes)) return bytes
  try {
    const array = Uint8Array.from(bytes, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(array)
  } catch {
    return bytes
  }
}

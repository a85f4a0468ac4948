import { fromBase64 } from '../base64.ts'

const maxCharacters = 500
/** The text that must follow in a body that was cut: a credential that begins before could go on there. */
const longestEncodedSecret = 7500
/** The depth at which a message may stand: `{ "error": { "errors": [{ "message": … }] } }`. */
const maxDepth = 4
/** The times that a text may be escaped on top of itself; one that goes on is not shown. */
const maxRounds = 4
/** A shorter secret stands in many words by chance, so it has to be a word of its own. */
const minCharacters = 4

/** Fields of JSON in order of preference: those of the service, of OAuth and of RFC 9457. */
const fieldNames = ['message', 'error_description', 'detail', 'error', 'errors', 'title', 'code']

const encoder = /* @__PURE__ */ new TextEncoder()
/** Characters that act on a terminal or a log, or turn the order of letters, and halves of characters. */
const unprintable = '\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029'
/** Characters that are not seen, or only as an accent or a gap. */
const invisible = '\\s\\p{C}\\p{M}\\p{Default_Ignorable_Code_Point}'
const entity = '&#x0*([\\da-f]{1,6});?|&#0*(\\d{1,7});?|&(amp|lt|gt|quot|apos|nbsp);'
const entities = /* @__PURE__ */ new RegExp(entity, 'gi')
const escapes = /* @__PURE__ */ new RegExp(
  `${entity}|(?:[\\\\%]u([\\da-f]{4})|\\\\x([\\da-f]{2}))|((?:%[\\da-f]{2})+)|\\\\([^])`,
  'gi',
)
/** Matches a code point in braces, such as `\u{48}`, or in a list, such as `U+0048` and `0x48`. */
const codePoints = /(?:\\u\{|U\+|0x)0*([\da-f]{1,6})\}?(?:[\s,]+(?=U\+|0x))?/gi
const namedCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/**
 * Returns the message in the response to a failed login, as one line of at most 500 characters: a field
 * of JSON, an element of XML, the title of an HTML page, or a plain text. Returns `undefined` if there is
 * none, or if it may hold a secret in any encoding: a part that is left could still tell it.
 *
 * @param plainText - `whole` if the body was received to its end, `cut` if not, `none` if a plain text
 * could be the token itself.
 * @param secrets - The password, and what came in place of a token.
 */
export function readServerMessage(
  body: string,
  plainText: 'whole' | 'cut' | 'none',
  secrets: readonly string[],
): string | undefined {
  // In bytes that are not UTF-8, a secret may have lost no more than one letter.
  // A pattern, since a bundler writes a text as the character itself, for which a page without a charset has others.
  const found = /\uFFFD/.test(body) ? undefined : findMessage(body.trim(), plainText)
  if (found === undefined || mayHold(found, secrets)) return undefined
  const line = replaceClass(found, unprintable, ' ').trim().slice(0, maxCharacters)
  // The last character may be half of one.
  return line.replace(/[\uD800-\uDBFF]$/, '').trim() || undefined
}

function findMessage(body: string, plainText: 'whole' | 'cut' | 'none'): string | undefined {
  if (body.startsWith('<')) {
    if (/<html\b|<!doctype html/i.test(body)) return findElement(body, 'title')
    return findElement(body, 'message') ?? findElement(body, 'code')
  }
  try {
    return findField(JSON.parse(body), 0)
  } catch {
    const enough = plainText === 'cut' ? maxCharacters + longestEncodedSecret : 0
    const isMessage = plainText !== 'none' && body.length > enough && !/^[[{"]/.test(body)
    return isMessage ? body : undefined
  }
}

/** Returns the text of a field that says why, or of one within it. */
function findField(value: unknown, depth: number): string | undefined {
  // A text that stands by itself could be the token.
  if (typeof value === 'string') return depth === 0 ? undefined : value.trim() || undefined
  if (typeof value !== 'object' || value === null || depth === maxDepth) return undefined
  const fields = Object.entries(value)
  const wanted =
    Array.isArray(value) && depth > 0
      ? fields
      : fieldNames.flatMap((name) => fields.filter(([key]) => key.toLowerCase() === name))
  for (const [, field] of wanted) {
    const found = findField(field, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the text of the first element of this name, if it was received to its end. */
function findElement(body: string, name: string): string | undefined {
  const pattern = `<(?:[\\w.-]+:)?${name}\\b[^<>]*>\\s*(?:<!\\[CDATA\\[([^]*?)\\]\\]>|([^<]*)<)`
  const [, data, text = ''] = new RegExp(pattern, 'i').exec(body) ?? []
  return (data ?? unescapeOnce(text, entities)).trim() || undefined
}

/** Tells if a text may hold one of the secrets, or another one that nobody knows here. */
function mayHold(text: string, secrets: readonly string[]): boolean {
  // What is longer would take time, and cannot be in there.
  const mayFit = (form: string): boolean => form.length <= 3 * text.length
  const forms = secrets.filter(mayFit).flatMap((secret) => {
    // A part of it that looks like an escape is undone with those of the text, which may leave few letters.
    const encoded = unescapedForms(secret).flatMap(encodings).filter(mayFit).flatMap(encodings)
    const isLong = ({ length }: string): boolean => Math.max(length, secret.length) >= minCharacters
    return [...new Set(encoded.map(fold))]
      .filter(Boolean)
      .map((form) => [form, isLong(form)] as const)
  })
  const long = forms.flatMap(([form, isLong]) => (isLong ? form : []))
  const short = forms.flatMap(([form, isLong]) => (isLong ? [] : form))
  const views = unescapedForms(text)
  // An escape may be split by what nobody sees.
  const joined = replaceClass(text.normalize('NFKC'), invisible)
  return (
    views.length > maxRounds ||
    views.some((view) => isConspicuous(view) || short.some(wordFinder(view))) ||
    [...new Set([...decodedForms(text), ...decodedForms(joined)])].some((view) =>
      long.some(finder(view)),
    )
  )
}

/** Returns a text as it is, and as each turn of its escapes leaves it. */
function unescapedForms(text: string): string[] {
  const views = [text]
  for (let view = text; views.length <= maxRounds; views.push(view)) {
    const next = unescapeOnce(view, escapes)
    if (next === view) break
    view = next
  }
  return views
}

/** Returns a text without its escapes, also where they stand in base64. */
function decodedForms(text: string): string[] {
  const views = unescapedForms(text)
  const decoded = views.map((view) => view.replace(/[\w+/-]{4,}/g, decodeBase64))
  // On their own, since `0x` may as well stand among other escapes.
  const ofPoints = views.map((view) => view.replace(codePoints, decodeCodePoint))
  return [...views, ...ofPoints, ...decoded.flatMap(unescapedForms)]
}

function decodeCodePoint(_escape: string, hex: string): string {
  return fromCodePoint(Number.parseInt(hex, 16))
}

function decodeBase64(digits: string): string {
  // One digit more than whole bytes have would be an error, which costs more than all the rest.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return new TextDecoder().decode(fromBase64(whole))
}

/** Tells if a text may hold a token, a key or a hash, or a character that is not decoded here. */
function isConspicuous(text: string): boolean {
  const runs = replaceClass(text, unprintable).match(/[\w+/=-]{24,}/g) ?? []
  return runs.some((run) => /\d/.test(run)) || /&[a-z]\w*;/i.test(text.replace(entities, ''))
}

/** Returns the function that finds a folded secret anywhere in a text, also backwards. */
function finder(text: string): (form: string) => boolean {
  const folded = fold(text)
  const backwards = Array.from(folded).reduceRight((before, letter) => before + letter, '')
  const both = `${folded}\n${backwards}`
  const bare = toBare(folded)
  return (form) => {
    // Only its letters and digits, as in `h-u-n-t-e-r`.
    const bareForm = toBare(form)
    return both.includes(form) || (bareForm.length >= minCharacters && bare.includes(bareForm))
  }
}

/** Returns the function that finds a short folded secret in a text, as a word of its own. */
function wordFinder(text: string): (form: string) => boolean {
  const folded = fold(text)
  const words = toBare(toUpper(`${text} ${replaceClass(text, unprintable)}`), ' ').split(' ')
  return (form) => {
    const bare = toBare(form)
    return bare ? words.includes(bare) : folded.includes(form)
  }
}

/** Returns a text as it is compared: in one case, without what nobody sees. */
function fold(text: string): string {
  return replaceClass(toUpper(text), invisible)
}

function toUpper(text: string): string {
  return replaceClass(text.normalize('NFKD'), '\\p{M}').toUpperCase()
}

function toBare(text: string, separator = ''): string {
  return replaceClass(text, '^\\p{L}\\p{N}', separator)
}

/** Replaces each character of a class, which stands as it would in the brackets of a pattern. */
function replaceClass(text: string, characters: string, replacement = ''): string {
  // As a literal, it would be parsed whenever the package is loaded: by V8 in a millisecond.
  return text.replace(new RegExp(`[${characters}]`, 'gu'), replacement)
}

function unescapeOnce(text: string, pattern: RegExp): string {
  return text.replace(
    pattern,
    (_escape, hex?: string, decimal?: string, name?: string, ...rest: (string | undefined)[]) => {
      if (name !== undefined) return namedCharacters[name.toLowerCase()] ?? ' '
      if (decimal !== undefined) return fromCodePoint(Number(decimal))
      const [unicode, latin, percent, escaped = ''] = rest
      const code = hex ?? unicode ?? latin
      if (code !== undefined) return fromCodePoint(Number.parseInt(code, 16))
      if (percent !== undefined) return percentDecode(percent)
      return /[bfnrt]/.test(escaped) ? ' ' : escaped
    },
  )
}

function fromCodePoint(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Bytes that are not UTF-8.
    return text.replace(/%(..)/g, (_escape, hex: string) => fromCodePoint(Number.parseInt(hex, 16)))
  }
}

/** Returns a text, and the forms that it has as bytes or as a part of what was encoded with it. */
function encodings(text: string): string[] {
  const codes = [...encoder.encode(text)]
  const bytes = codes.map((code) => String.fromCharCode(code)).join('')
  // At each offset, without the digits that its neighbors decide too.
  const base64 = [0, 1, 2].map((offset) => {
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    return btoa(' '.repeat(offset) + bytes).slice(offset && offset + 1, end)
  })
  const hex = codes.map((code) => code.toString(16).padStart(2, '0')).join('')
  return [text, bytes, hex, codes.join(), btoa(bytes).replace(/=+$/, ''), ...base64]
}

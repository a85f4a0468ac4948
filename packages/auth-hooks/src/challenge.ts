/**
 * Reads the challenges of a 401 or a 407, for schemes that answer them.
 *
 * @module @svc/auth-hooks/challenge
 */

/** One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field. */
export interface Challenge {
  /** The authentication scheme in lower case, such as `digest` or `bearer`. */
  readonly scheme: string
  /**
   * The one value of a scheme that has no parameters, as `Negotiate` has it.
   *
   * @default none
   */
  readonly token68?: string
  /**
   * The parameters, by names in lower case. Of those that are repeated, the first counts. A value is the one that was
   * meant: without its quotes, and each quoted pair is the character behind the backslash. It is text of somebody
   * else's, and may have any character.
   */
  readonly parameters: ReadonlyMap<string, string>
}

/**
 * Returns the challenges of a `WWW-Authenticate` or `Proxy-Authenticate` header in their order: several in one field or
 * in many, of any scheme, also one that stands there more than once.
 *
 * It never throws, and takes time that grows with the length alone. What is no challenge is left out, up to the next
 * comma; a quoted string without an end takes the rest of its field along. Like other clients, it takes values without
 * quotes that should have them, such as `nonce=a/b==`.
 *
 * @param field - The value as `headers.get` returns it, or one for each field.
 * @example
 * import { readChallenges } from '@svc/auth-hooks/challenge'
 *
 * const [digest, basic] = readChallenges('Digest realm="a \\"b\\"", nonce=c, Basic realm="d"')
 * console.log(digest?.scheme, digest?.parameters.get('realm')) // digest a "b"
 * console.log(basic?.scheme, basic?.parameters.get('realm')) // basic d
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function readChallenges(field: string | readonly string[] | null | undefined): Challenge[] {
  const found: OpenChallenge[] = []
  // Several fields mean what one does in which they are joined, by the section 5.3.
  for (const text of typeof field === 'string' ? [field] : (field ?? [])) readField(text, found)
  return found
}

/**
 * Returns the parameters of an `Authentication-Info` or `Proxy-Authentication-Info` header, by names in lower case.
 * Reads as {@link readChallenges} does.
 *
 * @example
 * import { readAuthParameters } from '@svc/auth-hooks/challenge'
 *
 * console.log(readAuthParameters('nextnonce="a", qop=auth').get('nextnonce')) // a
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.3
 */
export function readAuthParameters(field: string | null | undefined): ReadonlyMap<string, string> {
  const own: OpenChallenge = { scheme: '', parameters: new Map() }
  readField(field ?? '', [own], true)
  return own.parameters
}

interface OpenChallenge {
  readonly scheme: string
  token68?: string
  readonly parameters: Map<string, string>
}

/**
 * Reads the items of one field. Its first parameters belong to the last challenge of the field before.
 *
 * @param areParameters - `true` if there are no schemes.
 */
function readField(text: string, found: OpenChallenge[], areParameters = false): void {
  let at = skip(text, 0, separators)
  // The parameter that follows a scheme does so without a comma.
  let followsScheme = false
  while (at < text.length) {
    const nameEnd = skip(text, at, token)
    const name = text.slice(at, nameEnd).toLowerCase()
    const next = skip(text, nameEnd, blanks)
    const current = found.at(-1)
    if (name !== '' && text[next] === '=') {
      const { value, end } = readValue(text, skip(text, next + 1, blanks))
      const isFirst = current && current.token68 === undefined && !current.parameters.has(name)
      if (isFirst && value !== undefined) current.parameters.set(name, value)
      at = end
    } else if (
      name === '' ||
      followsScheme ||
      areParameters ||
      !(next > nameEnd || isEndOfItem(text, next))
    ) {
      at = nameEnd
    } else {
      const challenge: OpenChallenge = { scheme: name, parameters: new Map() }
      found.push(challenge)
      const end = skipToken68(text, next)
      if (end === undefined) {
        // Its parameters follow, if there are any.
        followsScheme = !isEndOfItem(text, next)
        at = followsScheme ? next : skip(text, next, separators)
        continue
      }
      challenge.token68 = text.slice(next, end)
      at = end
    }
    followsScheme = false
    at = skip(text, skipItem(text, at), separators)
  }
}

/** Returns the value that begins there, or none if its quotes have no end, and where it ends. */
function readValue(text: string, start: number): { readonly value?: string; readonly end: number } {
  if (text[start] !== '"') {
    const end = skip(text, start, plain)
    return { value: text.slice(start, end), end }
  }
  const end = skipQuoted(text, start)
  if (end === undefined) return { end: text.length }
  return { value: text.slice(start + 1, end - 1).replace(/\\([^])/g, '$1'), end }
}

/** Returns the end of a quoted string that begins there, or `undefined` if it has none. */
function skipQuoted(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return undefined
}

/** Returns the end of a value of a scheme without parameters, or `undefined` if there is none. */
function skipToken68(text: string, start: number): number | undefined {
  const padding = skip(text, start, token68)
  const end = skip(text, padding, equalSigns)
  return padding > start && isEndOfItem(text, skip(text, end, blanks)) ? end : undefined
}

/** Returns the next comma that is in no quotes, or the end. */
function skipItem(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== ',') {
    at = text[at] === '"' ? (skipQuoted(text, at) ?? text.length) : at + 1
  }
  return at
}

function isEndOfItem(text: string, at: number): boolean {
  return at >= text.length || text[at] === ','
}

// Each matches at its `lastIndex`, if only the empty text, and takes as many characters as it can at once.
const separators = /[ \t,]*/y
const blanks = /[ \t]*/y
const token = /[\w!#$%&'*+\-.^`|~]*/y
const token68 = /[\w\-.~+/]*/y
const equalSigns = /=*/y
const plain = /[^ \t,]*/y

/** Returns the first place from `start` on at which another character stands. */
function skip(text: string, start: number, characters: RegExp): number {
  characters.lastIndex = start
  characters.test(text)
  return characters.lastIndex
}

import { isCmdLine, splitCmdWords } from './cmd-words.ts'
import { type CurlOption, findLongOption, findShortOption, secretsIn } from './curl-options.ts'
import {
  percentEncoded,
  withFileName,
  withoutDotSegments,
  withQuery,
  withTarget,
} from './curl-url.ts'
import { InputError, placeOf } from './input-error.ts'
import {
  bytesOf,
  type HeaderLine,
  headerOf,
  isHttpName,
  maxHeaders,
  type PastedKey,
  type PastedRequest,
  readUrl,
} from './pasted-request.ts'
import { assertSendable } from './raw-http.ts'
import { type ShellCommand, type ShellWord, splitShellWords } from './shell-words.ts'

/**
 * Reads a command line of curl, as it is typed or as browsers copy it, into the request that it sends.
 *
 * @throws InputError naming the option that cannot be read.
 * @see https://curl.se/docs/manpage.html
 */
export function readCurl(text: string): PastedRequest {
  const { words, ending, hasExpansions } = wordsOf(text)
  const command = new CurlCommand(text)
  const [program, ...rest] = words[0]?.text === '$' ? words.slice(1) : words
  if (!/(?:^|[\\/])curl(?:\.exe)?$/i.test(program?.text ?? '')) {
    throw new InputError('command', 'the first word is not curl.', 1, 1)
  }
  if (ending === '&') {
    command.notes.push('A shell ends this command at the & that is not quoted; quote the URL.')
  }
  if (hasExpansions) {
    command.notes.push(
      'A shell puts values in the place of $… and `…`, which are not known here; they are read as they stand.',
    )
  }
  for (let index = 0; index < rest.length && !command.isComplete; index += 1) {
    index += command.take(rest[index], rest[index + 1])
  }
  return command.request()
}

function wordsOf(text: string): ShellCommand {
  if (!isCmdLine(text)) return splitShellWords(text)
  return { words: splitCmdWords(text), ending: '', hasExpansions: false }
}

/** The options of a command, as curl gathers them. */
class CurlCommand {
  readonly notes: string[] = []
  /** `true` once the words behind belong to another request. */
  isComplete = false
  readonly #text: string
  readonly #headers: HeaderLine[] = []
  /** Headers that curl is told to leave out. */
  readonly #omitted = new Set<string>()
  readonly #data: string[] = []
  readonly #query: string[] = []
  readonly #secrets: string[] = []
  #method: string | undefined
  #url: ShellWord | undefined
  #target: string | undefined
  #upload: string | undefined
  #user: string | undefined
  #signing: string | undefined
  #hasOptions = true
  #isGet = false
  #isHead = false
  #isForm = false
  #isJson = false
  #isBodyUnknown = false
  #isPathKept = false
  #isGlobbing = true

  constructor(text: string) {
    this.#text = text
  }

  /** Takes a word, and tells how many of those behind it belong to it. */
  take(word: ShellWord | undefined, next: ShellWord | undefined): 0 | 1 {
    if (!word) return 0
    if (!this.#hasOptions || !word.text.startsWith('-') || word.text === '-') {
      this.#setUrl(word)
      return 0
    }
    if (word.text === '--') {
      this.#hasOptions = false
      return 0
    }
    return word.text.startsWith('--')
      ? this.#longOption(word, next)
      : this.#shortOptions(word, next)
  }

  #longOption(word: ShellWord, next: ShellWord | undefined): 0 | 1 {
    const text = word.text.slice(2)
    const isExpanded = text.startsWith('expand-')
    const option = findLongOption(isExpanded ? text.slice(7) : text)
    const isName = /^[a-z][\w.-]{0,40}$/i.test(text)
    const name = isName ? `--${text}` : 'this'
    if (option === undefined) {
      const what = isName ? `${name} is` : 'this is'
      throw this.#error(`${what} no option of curl that is known here; take it out.`, word)
    }
    if (option === 'ambiguous') {
      throw this.#error(`${name} is the beginning of several options of curl.`, word)
    }
    if (isExpanded) this.notes.push('The variables of --expand-… are read as they stand.')
    if (!option.takesValue) {
      this.#flag(option.name)
      return 0
    }
    if (!next) throw this.#error(`${name} needs a value behind it.`, word)
    this.#option(option, next.text, next)
    return 1
  }

  #shortOptions(word: ShellWord, next: ShellWord | undefined): 0 | 1 {
    for (let index = 1; index < word.text.length; index += 1) {
      const letter = word.text.charAt(index)
      const option = findShortOption(letter)
      const name = /[\w#:]/.test(letter) ? `-${letter}` : 'this'
      if (!option) {
        throw this.#error(`${name} is no option of curl that is known here; take it out.`, word)
      }
      if (!option.takesValue) {
        this.#flag(option.name)
        continue
      }
      const attached = word.text.slice(index + 1)
      if (attached !== '') {
        this.#option(option, attached, word)
        return 0
      }
      if (!next) throw this.#error(`${name} needs a value behind it.`, word)
      this.#option(option, next.text, next)
      return 1
    }
    return 0
  }

  #error(message: string, word: ShellWord): InputError {
    const { line, column } = placeOf(this.#text, word.at)
    return new InputError('option', message, line, column)
  }

  #flag(name: string): void {
    if (name === 'get') this.#isGet = true
    else if (name === 'head') this.#isHead = true
    else if (name === 'path-as-is') this.#isPathKept = true
    else if (name === 'globoff') this.#isGlobbing = false
    else if (name === 'next') {
      this.isComplete = true
      this.notes.push('Behind --next stands another request, which is not read.')
    }
  }

  #option(option: CurlOption, value: string, word: ShellWord): void {
    this.#secrets.push(...secretsIn(option, value))
    switch (option.name) {
      case 'request':
        this.#method = value
        return
      case 'url':
        this.#setUrl({ ...word, text: value })
        return
      case 'url-query':
        if (value.startsWith('+')) this.#query.push(value.slice(1))
        else this.#addEncoded(value, this.#query, option)
        return
      case 'request-target':
        this.#target = value
        return
      case 'header':
        this.#addHeader(value, word)
        return
      case 'data':
      case 'data-ascii':
      case 'data-binary':
      case 'json':
        if (option.name === 'json') this.#isJson = true
        if (value.startsWith('@')) this.#missFile(option)
        else this.#data.push(value)
        return
      case 'data-raw':
        this.#data.push(value)
        return
      case 'data-urlencode':
        this.#addEncoded(value, this.#data, option)
        return
      case 'form':
      case 'form-string':
        this.#isForm = true
        return
      case 'upload-file':
        this.#upload = value
        this.#missFile(option)
        return
      case 'user':
        this.#user = value
        return
      case 'aws-sigv4':
        this.#signing = value
        return
      case 'user-agent':
        this.#headers.push(['user-agent', value])
        return
      case 'referer':
        this.#headers.push(['referer', value])
        return
      case 'cookie':
        if (value.includes('=')) this.#headers.push(['cookie', value])
        return
      case 'range':
        this.#headers.push(['range', `bytes=${value}`])
        return
      case 'oauth2-bearer':
        this.#headers.push(['authorization', `Bearer ${value}`])
        return
      case 'config':
        this.notes.push('What stands in the file of --config is not known here.')
    }
  }

  #setUrl(word: ShellWord): void {
    if (this.#url) this.notes.push('The command has more than one URL; only the first is read.')
    else this.#url = word
  }

  #addHeader(text: string, word: ShellWord): void {
    const { line, column } = placeOf(this.#text, word.at)
    if (text.startsWith('@')) {
      this.notes.push('The headers of a file are not known here.')
      return
    }
    const colon = text.search(/[:;]/)
    const name = text.slice(0, Math.max(colon, 0)).trim()
    if (!isHttpName(name)) {
      throw new InputError('header', 'this is no header with a name and a colon.', line, column)
    }
    const value = text.slice(colon + 1).trim()
    assertSendable(value, name, line)
    // Without a value, a colon leaves the header out.
    if (text.charAt(colon) === ':' && value === '') {
      this.#omitted.add(name.toLowerCase())
      return
    }
    this.#headers.push([name, value])
    if (this.#headers.length > maxHeaders) {
      throw new InputError('headers', `there are more than ${maxHeaders} headers.`, line)
    }
  }

  #addEncoded(value: string, list: string[], option: CurlOption): void {
    const equals = value.indexOf('=')
    const at = value.indexOf('@')
    if (at >= 0 && (equals < 0 || at < equals)) {
      this.#missFile(option)
      return
    }
    const name = value.slice(0, Math.max(equals, 0))
    const encoded = percentEncoded(value.slice(equals + 1))
    list.push(name === '' ? encoded : `${name}=${encoded}`)
  }

  #missFile({ name }: CurlOption): void {
    this.#isBodyUnknown = true
    this.notes.push(
      `The file of --${name} is not known here, so the body is not; its hash is that of x-amz-content-sha256, if there is one.`,
    )
  }

  /** Returns the request that the options make. */
  request(): PastedRequest {
    if (!this.#url) throw new InputError('URL', 'the command has no URL.')
    const { line } = placeOf(this.#text, this.#url.at)
    const given = this.#url.text
    const read = readUrl(/^[a-z]+:\/\//i.test(given) ? given : `http://${given}`, 'URL', line)
    const data = this.#data.join(this.#isJson ? '' : '&')
    const hasData = this.#data.length > 0 && !this.#isGet
    const url = this.#urlOf(read.url, this.#isGet ? data : '')
    const [, host = ''] = /^https?:\/\/([^/?]*)/.exec(url) ?? []
    const headers = [...this.#headers]
    const add = (name: string, value: string): void => {
      const isGiven = headerOf(headers, name) !== undefined || this.#omitted.has(name)
      if (!isGiven) headers.push([name, value])
    }
    if (headerOf(headers, 'host') === undefined) headers.push(['host', host])
    if (this.#isJson) {
      add('content-type', 'application/json')
      add('accept', 'application/json')
    } else if (hasData || (this.#isBodyUnknown && this.#upload === undefined && !this.#isGet)) {
      add('content-type', 'application/x-www-form-urlencoded')
    }
    const isForm = this.#isForm || this.#isBodyUnknown
    if (this.#isForm) {
      this.notes.push(
        'A form (-F) has a boundary that only curl knew, so its body and the hash of it are not known here.',
      )
    }
    const key = this.#key(headers, host)
    return {
      method: this.#methodOf(hasData),
      url,
      headers,
      body: hasData && !isForm ? bytesOf(data) : undefined,
      isForm,
      secrets: [...read.secrets, ...this.#secrets],
      ...(key && { key }),
      notes: [...this.notes, ...read.notes],
    }
  }

  /** Makes of the URL that was given the one that curl asks for. */
  #urlOf(given: string, data: string): string {
    if (this.#isGlobbing && /[[{]/.test(given.replace(/^[a-z]+:\/\/\[[^\]]*\]/, ''))) {
      this.notes.push('curl makes several URLs of one with [ ] or { }; it is read as it stands.')
    }
    const plain = this.#isPathKept ? given : withoutDotSegments(given)
    const url = this.#upload === undefined ? plain : withFileName(plain, this.#upload)
    if (url !== given) {
      this.notes.push('curl changes this path: dot segments go, and the name of the file is added.')
    }
    const whole = withQuery(withQuery(url, this.#query.join('&')), data)
    return this.#target === undefined ? whole : withTarget(whole, this.#target)
  }

  #methodOf(hasData: boolean): string {
    const implied = hasData || this.#isForm || this.#isBodyUnknown ? 'POST' : 'GET'
    const method =
      this.#method ?? (this.#isHead ? 'HEAD' : this.#upload === undefined ? implied : 'PUT')
    if (isHttpName(method)) return method
    throw new InputError('method', 'this is no HTTP method.', 1)
  }

  /** Takes the key of `--aws-sigv4`, or makes the header of a user and a password. */
  #key(headers: HeaderLine[], host: string): Partial<PastedKey> | undefined {
    const user = this.#user
    const colon = user?.indexOf(':') ?? -1
    const [name = '', secret = ''] =
      user === undefined || colon < 0 ? [user] : [user.slice(0, colon), user.slice(colon + 1)]
    this.#secrets.push(secret, user ?? '')
    if (this.#signing === undefined) {
      if (user !== undefined && headerOf(headers, 'authorization') === undefined) {
        headers.push(['authorization', `Basic ${toBase64(user)}`])
        this.#secrets.push(toBase64(user))
      }
      return undefined
    }
    this.notes.push(
      'curl signs this request when it sends it; here it is signed by the rules of these packages, so that the signed headers can be others.',
    )
    const labels = host.split('.')
    const [, , region = labels[1] ?? '', service = labels[0] ?? ''] = this.#signing.split(':')
    return { accessKeyId: name, secretAccessKey: secret, region, service }
  }
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...bytesOf(text).subarray(0, 10_000)))
}

import { isCmdLine, splitCmdWords } from './cmd-words.ts'
import { takesValue } from './curl-options.ts'
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
import { assertSendable, shown } from './raw-http.ts'
import { type ShellWord, splitShellWords } from './shell-words.ts'

/**
 * Reads a command line of curl, as it is typed or as browsers copy it, into the request that it sends.
 *
 * @throws InputError naming the option that cannot be read.
 * @see https://curl.se/docs/manpage.html
 */
export function readCurl(text: string): PastedRequest {
  const { words, ending } = isCmdLine(text)
    ? { words: splitCmdWords(text), ending: '' }
    : splitShellWords(text)
  const command = new CurlCommand(text)
  const [program, ...rest] = words[0]?.text === '$' ? words.slice(1) : words
  if (!/(?:^|[\\/])curl(?:\.exe)?$/i.test(program?.text ?? '')) {
    throw new InputError('command', 'the first word is not curl.', 1, 1)
  }
  if (ending === '&') {
    command.notes.push('A shell ends this command at the & that is not quoted; quote the URL.')
  }
  for (let index = 0; index < rest.length; index += 1) {
    index += command.take(rest[index], rest[index + 1])
  }
  return command.request()
}

/** The options of a command, as curl gathers them. */
class CurlCommand {
  readonly notes: string[] = []
  readonly #text: string
  readonly #headers: HeaderLine[] = []
  readonly #data: string[] = []
  readonly #secrets: string[] = []
  #method: string | undefined
  #url: ShellWord | undefined
  #user: string | undefined
  #signing: string | undefined
  #isGet = false
  #isHead = false
  #isUpload = false
  #isForm = false
  #isJson = false
  #isBodyUnknown = false

  constructor(text: string) {
    this.#text = text
  }

  /** Takes a word, and tells how many of those behind it belong to it. */
  take(word: ShellWord | undefined, next: ShellWord | undefined): 0 | 1 {
    if (!word) return 0
    if (!word.text.startsWith('-') || word.text === '-') {
      this.#setUrl(word)
      return 0
    }
    if (word.text.startsWith('--')) {
      const name = word.text.slice(2)
      if (!takesValue(name)) {
        this.#flag(name)
        return 0
      }
      this.#option(name, this.#valueOf(word, next), next ?? word)
      return 1
    }
    return this.#shortOptions(word, next)
  }

  #shortOptions(word: ShellWord, next: ShellWord | undefined): 0 | 1 {
    for (let index = 1; index < word.text.length; index += 1) {
      const name = word.text.charAt(index)
      if (!takesValue(name)) {
        this.#flag(name)
        continue
      }
      const attached = word.text.slice(index + 1)
      if (attached !== '') {
        this.#option(name, attached, word)
        return 0
      }
      this.#option(name, this.#valueOf(word, next), next ?? word)
      return 1
    }
    return 0
  }

  #valueOf(word: ShellWord, next: ShellWord | undefined): string {
    if (next) return next.text
    const { line, column } = placeOf(this.#text, word.at)
    throw new InputError('option', `${shown(word.text)} needs a value behind it.`, line, column)
  }

  #flag(name: string): void {
    if (name === 'G' || name === 'get') this.#isGet = true
    else if (name === 'I' || name === 'head') this.#isHead = true
  }

  #option(name: string, value: string, word: ShellWord): void {
    switch (name) {
      case 'X':
      case 'request':
        this.#method = value
        return
      case 'url':
        this.#setUrl({ ...word, text: value })
        return
      case 'H':
      case 'header':
        this.#addHeader(value, word)
        return
      case 'd':
      case 'data':
      case 'data-ascii':
      case 'data-binary':
        if (value.startsWith('@')) this.#missFile(value.slice(1))
        else this.#data.push(value)
        return
      case 'data-raw':
        this.#data.push(value)
        return
      case 'json':
        this.#isJson = true
        if (value.startsWith('@')) this.#missFile(value.slice(1))
        else this.#data.push(value)
        return
      case 'data-urlencode':
        this.#addEncoded(value)
        return
      case 'F':
      case 'form':
      case 'form-string':
        this.#isForm = true
        return
      case 'T':
      case 'upload-file':
        this.#isUpload = true
        this.#missFile(value)
        return
      case 'u':
      case 'user':
        this.#user = value
        return
      case 'aws-sigv4':
        this.#signing = value
        return
      case 'A':
      case 'user-agent':
        this.#headers.push(['user-agent', value])
        return
      case 'e':
      case 'referer':
        this.#headers.push(['referer', value])
        return
      case 'b':
      case 'cookie':
        if (value.includes('=')) this.#headers.push(['cookie', value])
        return
      case 'r':
      case 'range':
        this.#headers.push(['range', `bytes=${value}`])
        return
      case 'oauth2-bearer':
        this.#headers.push(['authorization', `Bearer ${value}`])
        return
      case 'K':
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
      throw new InputError(
        'header',
        `${shown(text)} is no header with a name and a colon.`,
        line,
        column,
      )
    }
    const value = text.slice(colon + 1).trim()
    assertSendable(value, name, line)
    // Without a value, a colon leaves the header out.
    if (text.charAt(colon) === ':' && value === '') return
    this.#headers.push([name, value])
    if (this.#headers.length > maxHeaders) {
      throw new InputError('headers', `there are more than ${maxHeaders} headers.`, line)
    }
  }

  #addEncoded(value: string): void {
    const equals = value.indexOf('=')
    const at = value.indexOf('@')
    if (at >= 0 && (equals < 0 || at < equals)) {
      this.#missFile(value.slice(at + 1))
      return
    }
    const name = value.slice(0, Math.max(equals, 0))
    const encoded = encodeURIComponent(
      value.slice(equals + 1).replace(/\p{Cs}/gu, '\ufffd'),
    ).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    this.#data.push(name === '' ? encoded : `${name}=${encoded}`)
  }

  #missFile(name: string): void {
    this.#isBodyUnknown = true
    this.notes.push(
      `The file ${shown(name)} is not known here, so the body is not; its hash is that of x-amz-content-sha256, if there is one.`,
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
    const url =
      this.#isGet && data !== ''
        ? `${read.url}${read.url.includes('?') ? '&' : '?'}${data}`
        : read.url
    const [, host = ''] = /^https?:\/\/([^/?]*)/.exec(url) ?? []
    const headers = [...this.#headers]
    const add = (name: string, value: string): void => {
      if (headerOf(headers, name) === undefined) headers.push([name, value])
    }
    add('host', host)
    if (this.#isJson) {
      add('content-type', 'application/json')
      add('accept', 'application/json')
    } else if (hasData || (this.#isBodyUnknown && !this.#isUpload && !this.#isGet)) {
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

  #methodOf(hasData: boolean): string {
    const implied = hasData || this.#isForm || this.#isBodyUnknown ? 'POST' : 'GET'
    const method = this.#method ?? (this.#isHead ? 'HEAD' : this.#isUpload ? 'PUT' : implied)
    if (isHttpName(method)) return method
    throw new InputError('method', `${shown(method)} is no HTTP method.`, 1)
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

import { type CurlOption, findLongOption, findShortOption, secretsIn } from './curl-options.ts'
import { type GatheredOptions, nothingGathered } from './curl-request.ts'
import { percentEncoded } from './curl-url.ts'
import { InputError, placeOf } from './input-error.ts'
import { isHttpName, maxHeaders } from './pasted-request.ts'
import { assertSendable } from './raw-http.ts'
import type { ShellWord } from './shell-words.ts'

/** Gathers the options of a command, word by word, as curl does. */
export class CurlCommand {
  /** `true` once the words behind belong to another request. */
  isComplete = false
  readonly gathered: GatheredOptions = nothingGathered()
  readonly #text: string
  #hasOptions = true

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
    if (isExpanded) this.gathered.notes.push('The variables of --expand-… are read as they stand.')
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
    if (name === 'get') this.gathered.isGet = true
    else if (name === 'head') this.gathered.isHead = true
    else if (name === 'path-as-is') this.gathered.isPathKept = true
    else if (name === 'globoff') this.gathered.isGlobbing = false
    else if (name === 'next') {
      this.isComplete = true
      this.gathered.notes.push('Behind --next stands another request, which is not read.')
    }
  }

  #option(option: CurlOption, value: string, word: ShellWord): void {
    this.gathered.secrets.push(...secretsIn(option, value))
    switch (option.name) {
      case 'request':
        this.gathered.method = value
        return
      case 'url':
        this.#setUrl({ ...word, text: value })
        return
      case 'url-query':
        if (value.startsWith('+')) this.gathered.query.push(value.slice(1))
        else this.#addEncoded(value, this.gathered.query, option)
        return
      case 'request-target':
        this.gathered.target = value
        return
      case 'header':
        this.#addHeader(value, word)
        return
      case 'data':
      case 'data-ascii':
      case 'data-binary':
      case 'json':
        if (option.name === 'json') this.gathered.isJson = true
        if (value.startsWith('@')) this.#missFile(option)
        else this.gathered.data.push(value)
        return
      case 'data-raw':
        this.gathered.data.push(value)
        return
      case 'data-urlencode':
        this.#addEncoded(value, this.gathered.data, option)
        return
      case 'form':
      case 'form-string':
        this.gathered.isForm = true
        return
      case 'upload-file':
        this.gathered.upload = value
        this.#missFile(option)
        return
      case 'user':
        this.gathered.user = value
        return
      case 'aws-sigv4':
        this.gathered.signing = value
        return
      case 'user-agent':
        this.gathered.headers.push(['user-agent', value])
        return
      case 'referer':
        this.gathered.headers.push(['referer', value])
        return
      case 'cookie':
        if (value.includes('=')) this.gathered.headers.push(['cookie', value])
        return
      case 'range':
        this.gathered.headers.push(['range', `bytes=${value}`])
        return
      case 'oauth2-bearer':
        this.gathered.headers.push(['authorization', `Bearer ${value}`])
        return
      case 'config':
        this.gathered.notes.push('What stands in the file of --config is not known here.')
    }
  }

  #setUrl(word: ShellWord): void {
    if (this.gathered.url)
      this.gathered.notes.push('The command has more than one URL; only the first is read.')
    else this.gathered.url = word
  }

  #addHeader(text: string, word: ShellWord): void {
    const { line, column } = placeOf(this.#text, word.at)
    if (text.startsWith('@')) {
      this.gathered.notes.push('The headers of a file are not known here.')
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
      this.gathered.omitted.add(name.toLowerCase())
      return
    }
    this.gathered.headers.push([name, value])
    if (this.gathered.headers.length > maxHeaders) {
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
    this.gathered.isBodyUnknown = true
    this.gathered.notes.push(
      `The file of --${name} is not known here, so the body is not; its hash is that of x-amz-content-sha256, if there is one.`,
    )
  }
}

/** Hands out a text line by line. */
export class LineReader {
  /** The number of the last line that was read. */
  number = 0
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length
  }

  peek(): string {
    const end = this.#text.indexOf('\n', this.#position)
    return this.#text.slice(this.#position, end < 0 ? undefined : end)
  }

  next(): string {
    const text = this.peek()
    this.#position += text.length + 1
    this.number += 1
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }

  skipBlank(): void {
    while (!this.isAtEnd && this.peek().trim() === '') this.next()
  }

  rest(): string {
    return this.#text.slice(this.#position)
  }
}

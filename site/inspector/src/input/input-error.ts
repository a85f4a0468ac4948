/**
 * A text that cannot be read, with the place of the fault for the person who pasted it. Its message is shown and read
 * aloud, so it quotes nothing of the text but names: a value may be a secret.
 */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** The part in plain words, such as `header`. */
  readonly part: string
  /** The line, from 1; `undefined` where the fault has no place. */
  readonly line: number | undefined
  /** The column, from 1. */
  readonly column: number | undefined

  constructor(part: string, message: string, line?: number, column?: number) {
    super(message)
    this.part = part
    this.line = line
    this.column = column
  }
}

/** Writes the place of a fault and the fault as one sentence. */
export function describeInputError({ part, message, line, column }: InputError): string {
  if (line === undefined) return `${part}: ${message}`
  const place = column === undefined ? `Line ${line}` : `Line ${line}, column ${column}`
  return `${place} (${part}): ${message}`
}

/** Returns the line and the column of an index, both from 1. */
export function placeOf(text: string, index: number): { line: number; column: number } {
  let line = 1
  let start = 0
  for (;;) {
    const end = text.indexOf('\n', start)
    if (end < 0 || end >= index) return { line, column: Math.max(index - start, 0) + 1 }
    line += 1
    start = end + 1
  }
}

/** The pieces of JSON without the blanks around them: what is empty, a mark, a string, a word or a number. */
const pieces = /\s*(\[\s*\]|\{\s*\}|[[\]{},:]|"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+)\s*/gs

/**
 * Writes JSON on lines of its own. It is the text that is formatted, not what it means, so that no digit of a large
 * number is lost; `undefined` if it is no JSON.
 */
export function formatJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  const formatted = text.replace(pieces, (_, piece: string) => {
    if (piece === '{' || piece === '[') {
      depth += 1
      return piece + newLine()
    }
    if (piece === '}' || piece === ']') {
      depth -= 1
      return newLine() + piece
    }
    if (piece === ',') return piece + newLine()
    if (piece === ':') return ': '
    // A list or an object with nothing in it.
    return /^[[{]/.test(piece) ? piece.replace(/\s+/, '') : piece
  })
  return `${formatted}\n`
}

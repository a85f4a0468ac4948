import type { Paint } from './colours.ts'

/** The pieces of JSON: a string, a word or a number, or a mark. */
const token = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/gs

/**
 * Writes JSON on lines of its own, in colours. It is the text that is formatted, not what it means, so that
 * no digit of a large number is lost; `undefined` if it is no JSON.
 */
export function formatJson(text: string, paint: Paint): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const tokens = text.match(token) ?? []
  let formatted = ''
  let depth = 0
  const newLine = (): string => `\n${'  '.repeat(depth)}`
  for (const [index, piece] of tokens.entries()) {
    const isEmpty = tokens[index + 1] === ']' || tokens[index + 1] === '}'
    switch (piece) {
      case '{':
      case '[':
        depth += 1
        formatted += isEmpty ? piece : piece + newLine()
        break
      case '}':
      case ']': {
        depth -= 1
        const opening = tokens[index - 1]
        formatted += opening === '{' || opening === '[' ? piece : newLine() + piece
        break
      }
      case ',':
        formatted += piece + newLine()
        break
      case ':':
        formatted += ': '
        break
      default:
        formatted += paint(colourOf(piece, tokens[index + 1] === ':'), withoutControls(piece))
    }
  }
  return formatted
}

function colourOf(piece: string, isName: boolean): Parameters<Paint>[0] {
  if (isName) return 'blue'
  if (piece.startsWith('"')) return 'green'
  return /^[tfn]/.test(piece) ? 'magenta' : 'cyan'
}

// JSON escapes some control characters; a terminal heeds others too.
function withoutControls(piece: string): string {
  return piece.replaceAll(
    /[\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

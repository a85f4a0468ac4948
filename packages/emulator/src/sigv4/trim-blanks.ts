/** A text without the blanks at its ends, in time that grows with its length whatever it holds. */
export function trimBlanks(text: string): string {
  let end = text.length
  while (end > 0 && /[ \t]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(/^[ \t]+/, '')
}

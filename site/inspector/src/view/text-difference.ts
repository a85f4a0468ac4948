/** A piece of a text, and if the other side has it too. */
export interface Piece {
  readonly text: string
  readonly differs: boolean
}

/** The most pieces of a text; beyond them, the rest counts as different. */
const maxPieces = 40

/**
 * Marks what differs between two texts, in whole percent escapes.
 *
 * @param maxComparisons - The most comparisons of characters; beyond them, the middle counts as different.
 */
export function compareTexts(
  left: string,
  right: string,
  maxComparisons = 90_000,
): { left: Piece[]; right: Piece[] } {
  // Two hashes or signatures have letters in common by chance alone.
  if (isDigest(left) && isDigest(right) && left !== right) {
    return { left: [{ text: left, differs: true }], right: [{ text: right, differs: true }] }
  }
  const [a, b] = [piecesOf(left), piecesOf(right)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  const most = Math.min(a.length, b.length) - start
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const middleA = a.slice(start, a.length - end)
  const middleB = b.slice(start, b.length - end)
  const kept = commonPieces(middleA, middleB, maxComparisons)
  const side = (
    all: readonly string[],
    middle: readonly string[],
    same: ReadonlySet<number>,
  ): Piece[] =>
    merge([
      ...all.slice(0, start).map((text) => ({ text, differs: false })),
      ...middle.map((text, index) => ({ text, differs: !same.has(index) })),
      ...all.slice(all.length - end).map((text) => ({ text, differs: false })),
    ])
  return { left: side(a, middleA, kept.left), right: side(b, middleB, kept.right) }
}

function isDigest(text: string): boolean {
  return /^[\da-f]{64}$/.test(text)
}

function piecesOf(text: string): string[] {
  return text.match(/%[\da-f]{2}|[\s\S]/giu) ?? []
}

/** Finds the longest common subsequence. */
function commonPieces(
  a: readonly string[],
  b: readonly string[],
  maxComparisons: number,
): { left: Set<number>; right: Set<number> } {
  const found = { left: new Set<number>(), right: new Set<number>() }
  if (a.length * b.length > maxComparisons) return found
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const at = (row: number, column: number): number => Number(lengths[row * width + column])
  for (let row = a.length - 1; row >= 0; row -= 1) {
    for (let column = b.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  let [row, column] = [0, 0]
  while (row < a.length && column < b.length) {
    if (a[row] === b[column]) {
      found.left.add(row)
      found.right.add(column)
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return found
}

function merge(pieces: readonly Piece[]): Piece[] {
  const merged: { text: string; differs: boolean }[] = []
  for (const { text, differs } of pieces) {
    const last = merged.at(-1)
    if (last?.differs === differs) last.text += text
    else if (merged.length < maxPieces) merged.push({ text, differs })
    else if (last) Object.assign(last, { text: last.text + text, differs: true })
  }
  return merged
}

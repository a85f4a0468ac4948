const names: Readonly<Record<number, string>> = {
  0x09: 'tab',
  0x0a: 'line feed',
  0x0d: 'carriage return',
  0xa0: 'no-break space',
  0x200b: 'zero-width space',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of embedding',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
}

/** A piece of a text as it is shown: itself, or the symbol of characters that nobody would see. */
export type VisiblePiece = string | { readonly symbol: string }

/** Options of {@link visiblePieces}. */
export interface VisibleOptions {
  /** The most symbols; what comes behind them is one `·` each. */
  readonly atMost?: number
  /** `true` to put the number of each character outside of ASCII behind it, since it may look like another one. */
  readonly isNumbered?: boolean
  /** `true` for a part between others, where a blank at an end would not be lost. */
  readonly isInner?: boolean
}

/** What nobody would see, or what would turn the text beside it around. */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|[^\P{Zs} ]`

/** Runs of what nobody sees, of blanks that would be lost, and of marks that would be piled up. */
const inner = String.raw`(${hidden})\1*| {2,}|^\p{M}+|\p{M}{4,}`
const runs = String.raw`^ +| +$|${inner}`
const unclear = new RegExp(runs, 'gu')
const unclearInner = new RegExp(inner, 'gu')
const unclearOrForeign = new RegExp(String.raw`${runs}|[^\p{ASCII}]`, 'gu')
const anyHidden = new RegExp(String.raw`(?:${hidden})+|^\p{M}+|\p{M}{4,}`, 'gu')

/** Makes all characters of a text visible, with few pieces, however many there are. */
export function visiblePieces(
  text: string,
  { atMost = 10, isNumbered = false, isInner = false }: VisibleOptions = {},
): VisiblePiece[] {
  const pieces: VisiblePiece[] = []
  let end = 0
  let symbols = 0
  const pattern = isNumbered ? unclearOrForeign : isInner ? unclearInner : unclear
  for (const { 0: run, index } of text.matchAll(pattern)) {
    if (index > end) pieces.push(text.slice(end, index))
    if (symbols === atMost) return [...pieces, ...withoutSymbols(text.slice(index))]
    symbols += 1
    const symbol = symbolOf(run)
    if (symbol === undefined) pieces.push(run, { symbol: numberOf(run) })
    else pieces.push({ symbol })
    end = index + run.length
  }
  if (end < text.length) pieces.push(text.slice(end))
  return pieces
}

function withoutSymbols(text: string): VisiblePiece[] {
  let count = 0
  const plain = text.replace(anyHidden, () => {
    count += 1
    return '·'
  })
  return count === 0 ? [plain] : [plain, { symbol: `${count} more hidden as ·` }]
}

/** Names a run of characters; `undefined` for one that is seen. */
function symbolOf(run: string): string | undefined {
  if (run.startsWith(' ')) return run.length <= 4 ? '␣'.repeat(run.length) : `␣ × ${run.length}`
  const characters = run.match(/./gsu) ?? []
  const [first = ''] = characters
  const isHidden = new RegExp(`^(?:${hidden})`, 'u').test(run)
  if (!isHidden && !/^\p{M}/u.test(run)) return undefined
  if (characters.some((one) => one !== first)) return `${characters.length} combining characters`
  const name = names[first.codePointAt(0) ?? 0]
  const symbol = name === undefined ? numberOf(run) : `${numberOf(run)} ${name}`
  return characters.length === 1 ? symbol : `${symbol} × ${characters.length}`
}

function numberOf(text: string): string {
  const code = text.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

import type { VNode } from 'preact'
import { compareTexts, type Piece } from './text-difference.ts'

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

/** What nobody would see, or what would turn the text beside it around. */
const invisible = /([\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Zs} ]|^ | $| (?= ))/gu

/** A text of somebody else's with all of its characters visible, on one line and from left to right. */
export function VisibleText({
  text,
  kind = 'wire',
}: {
  readonly text: string
  /** `wire`: a part of a request; `prose`: a sentence, which may quote one. */
  readonly kind?: 'wire' | 'prose'
}): VNode {
  return (
    <bdi class={kind} dir="ltr">
      {visible(text)}
    </bdi>
  )
}

/** A text with what differs from another one marked. */
function MarkedText({
  pieces,
  as: Mark,
}: {
  readonly pieces: readonly Piece[]
  readonly as: 'del' | 'ins'
}): VNode {
  return (
    <bdi class="wire" dir="ltr">
      {pieces.map(({ text, differs }) => (differs ? <Mark>{visible(text)}</Mark> : visible(text)))}
    </bdi>
  )
}

/** Two sides of a line, with what differs marked. */
export function sidesOf(
  ours: string,
  theirs: string,
): { readonly ours: VNode; readonly theirs: VNode } {
  const { left, right } = compareTexts(ours, theirs)
  return {
    ours: ours === '' ? <em>none</em> : <MarkedText pieces={left} as="del" />,
    theirs: theirs === '' ? <em>none</em> : <MarkedText pieces={right} as="ins" />,
  }
}

function visible(text: string): (string | VNode)[] {
  return text.split(invisible).map((piece, index) => (index % 2 === 0 ? piece : symbolOf(piece)))
}

function symbolOf(character: string): VNode {
  if (character === ' ') {
    return (
      <span class="symbol" title="space">
        ␣
      </span>
    )
  }
  const code = character.codePointAt(0) ?? 0
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const name = names[code]
  return (
    <span class="symbol" title={name}>
      {name === undefined ? number : `${number} ${name}`}
    </span>
  )
}

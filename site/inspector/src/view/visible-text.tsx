import type { VNode } from 'preact'
import { compareTexts, type Piece } from './text-difference.ts'
import { visiblePieces, type VisibleOptions } from './visible-pieces.ts'

/** A text of somebody else's with all of its characters visible, on one line and from left to right. */
export function VisibleText({
  text,
  kind = 'wire',
  atMost = 10,
}: {
  readonly text: string
  /** `wire`: a part of a request; `prose`: a sentence, which may quote one. */
  readonly kind?: 'wire' | 'prose'
  /** The most symbols. */
  readonly atMost?: number
}): VNode {
  return (
    <bdi class={kind} dir="ltr">
      {visible(text, { atMost })}
    </bdi>
  )
}

/** The longest difference whose characters are told by number: letters of two alphabets look the same. */
const maxNumbered = 4

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
      {pieces.map(({ text, differs }, index) => {
        const atMost = index < 10 ? 2 : 0
        if (!differs) return visible(text, { atMost, isInner: pieces.length > 1 })
        const isNumbered = text.length <= maxNumbered
        return <Mark>{visible(text, { atMost: 2 * atMost, isNumbered })}</Mark>
      })}
    </bdi>
  )
}

/** Two sides of a line, with what differs marked. */
export function sidesOf(
  ours: string,
  theirs: string,
  maxComparisons: number,
): { readonly ours: VNode; readonly theirs: VNode } {
  const { left, right } = compareTexts(ours, theirs, maxComparisons)
  return {
    ours: ours === '' ? <em>none</em> : <MarkedText pieces={left} as="del" />,
    theirs: theirs === '' ? <em>none</em> : <MarkedText pieces={right} as="ins" />,
  }
}

function visible(text: string, options: VisibleOptions): (string | VNode)[] {
  return visiblePieces(text, options).map((piece) =>
    typeof piece === 'string' ? piece : <span class="symbol">{piece.symbol}</span>,
  )
}

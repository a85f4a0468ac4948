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

/** A text with what differs from another one marked. */
function MarkedText({
  pieces,
  isNumbered,
  as: Mark,
}: {
  readonly pieces: readonly Piece[]
  readonly isNumbered: boolean
  readonly as: 'del' | 'ins'
}): VNode {
  return (
    <bdi class="wire" dir="ltr">
      {pieces.map(({ text, differs }, index) => {
        const atMost = index < 10 ? 2 : 0
        return differs ? (
          <Mark>{visible(text, { atMost, isNumbered })}</Mark>
        ) : (
          visible(text, { atMost })
        )
      })}
    </bdi>
  )
}

/** The most characters of a difference whose numbers are told. */
const maxNumbered = 12

/** Two sides of a line, with what differs marked. */
export function sidesOf(
  ours: string,
  theirs: string,
  maxComparisons: number,
): { readonly ours: VNode; readonly theirs: VNode } {
  const { left, right } = compareTexts(ours, theirs, maxComparisons)
  const differing = [...left, ...right].map(({ text, differs }) => (differs ? text : '')).join('')
  // Letters of two alphabets, and letters composed and taken apart, look the same.
  const isNumbered = differing.length <= maxNumbered
  return {
    ours:
      ours === '' ? <em>none</em> : <MarkedText pieces={left} isNumbered={isNumbered} as="del" />,
    theirs:
      theirs === '' ? (
        <em>none</em>
      ) : (
        <MarkedText pieces={right} isNumbered={isNumbered} as="ins" />
      ),
  }
}

function visible(text: string, options: VisibleOptions): (string | VNode)[] {
  return visiblePieces(text, options).map((piece) =>
    typeof piece === 'string' ? piece : <span class="symbol">{piece.symbol}</span>,
  )
}

/** Something that happens to requests on the way, or in a server. */
export interface Rewriting {
  readonly apply: (text: string) => string
  /** What it does, as the end of "on the way something …". */
  readonly what: string
}

/** Texts are no longer than a request line; beyond that a search would cost more than it tells. */
const maxLength = 16 * 1024

/** Of more rewritings one after the other nobody could tell which they were. */
const maxSteps = 3

/** The shortest way from our text to theirs by such rewritings; `undefined` where there is none. */
export function findRewritings(
  ours: string,
  theirs: string,
  rewritings: readonly Rewriting[],
): readonly Rewriting[] | undefined {
  if (ours.length > maxLength || theirs.length > maxLength) return undefined
  let reached: [text: string, by: readonly Rewriting[]][] = [[ours, []]]
  const seen = new Set([ours])
  for (let step = 0; step < maxSteps; step += 1) {
    const next: typeof reached = []
    for (const [text, by] of reached) {
      for (const rewriting of rewritings) {
        const rewritten = rewriting.apply(text)
        if (seen.has(rewritten)) continue
        seen.add(rewritten)
        const way = [...by, rewriting]
        if (rewritten === theirs) return way
        next.push([rewritten, way])
      }
    }
    reached = next
  }
  return undefined
}

/** Rewritings in the words of a hint. */
export function rewritingHint(rewritings: readonly Rewriting[]): string {
  return `On the way, or in the server, something ${rewritings.map(({ what }) => what).join(', and then ')}.`
}

/** What happens to paths and to queries alike. */
export const plusRewritings: readonly Rewriting[] = [
  {
    apply: (text) => text.replaceAll('%2B', '%20'),
    what: 'reads + as a space',
  },
  {
    apply: (text) => text.replaceAll('%20', '%2B'),
    what: 'writes a space as +, which is then read as a plus sign',
  },
]

/** Encodes what is encoded already. */
export const encodedAgain: Rewriting = {
  apply: (text) => text.replaceAll('%', '%25'),
  what: 'percent-encodes what is already encoded (so it is encoded twice)',
}

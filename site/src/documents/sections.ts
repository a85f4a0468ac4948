import GithubSlugger from 'github-slugger'

/** A heading of a document, with the extent of what stands below it. */
export interface Section {
  readonly level: number
  /** The anchor by which GitHub and the site link to it. */
  readonly slug: string
  /** The line of the heading. */
  readonly start: number
  /** The line after the last one of the section. */
  readonly end: number
}

/** Returns the sections of a document in their order; one contains those of a deeper level that follow it. */
export function sectionsOf(text: string): readonly Section[] {
  const slugger = new GithubSlugger()
  const lines = text.split('\n')
  const headings = proseLines(text).flatMap((isProse, start) => {
    const [, marks = '', title = ''] = /^(#{1,6}) (.+)$/.exec(lines[start] ?? '') ?? []
    if (!isProse || !marks) return []
    return [{ level: marks.length, slug: slugger.slug(plain(title)), start }]
  })
  return headings.map(({ level, slug, start }, place) => {
    const next = headings.slice(place + 1).find((each) => each.level <= level)
    return { level, slug, start, end: next?.start ?? lines.length }
  })
}

/**
 * Returns a section with its heading, at level two, as a part of another document.
 *
 * @throws {Error} where the document has no such section.
 */
export function takeSection(text: string, slug: string): string {
  const section = sectionsOf(text).find((each) => each.slug === slug)
  if (!section) throw new Error(`there is no section #${slug}`)
  const part = text.split('\n').slice(section.start, section.end).join('\n')
  const levels = section.level - 2
  const isProse = proseLines(part)
  return part
    .split('\n')
    .map((line, n) =>
      isProse[n] ? line.replace(/^#+(?= )/, (marks) => '#'.repeat(marks.length - levels)) : line,
    )
    .join('\n')
    .trim()
}

/** Tells for each line if it is prose: neither in a block of code nor a fence of one. */
export function proseLines(text: string): readonly boolean[] {
  let fence = ''
  return text.split('\n').map((line) => {
    const [, marks = ''] = /^ *(`{3,}|~{3,})/.exec(line) ?? []
    if (!fence) {
      fence = marks
      return !marks
    }
    if (marks.startsWith(fence) && line.trim() === marks) fence = ''
    return false
  })
}

/** The text of a heading as it is read: a link by its text, code without its marks. */
function plain(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim()
}

/** What an error answer says, by the local names of its elements. */
export interface ErrorXml {
  /** The elements within `Error` that hold text alone; of two of one name the first counts. */
  readonly elements: ReadonlyMap<string, string>
  /**
   * `truncated`: the text ended too early, and `elements` holds what was complete by then.
   * `malformed`: the text is no XML that is read here, and `elements` is empty.
   */
  readonly state: 'complete' | 'truncated' | 'malformed'
}

interface OpenElement {
  readonly name: string
  isLeaf: boolean
  text: string
}

/** Far more than an error answer has, and little enough for anybody's memory. */
const maxDepth = 32

/**
 * Reads the flat elements of an object store's error answer. Workers have no parser of XML, and the
 * little that is needed here is safer without one: no document types, so that nothing expands; one
 * pass over the text, whatever it holds.
 *
 * @see https://www.w3.org/TR/xml/
 */
export function readErrorXml(text: string): ErrorXml {
  const elements = new Map<string, string>()
  const ended = (state: 'complete' | 'truncated'): ErrorXml => ({ elements, state })
  const open: OpenElement[] = []
  let hasRoot = false
  let position = 0

  for (;;) {
    const mark = text.indexOf('<', position)
    const innermost = open.at(-1)
    if (mark < 0) {
      if (!innermost && !isBlank(text.slice(position))) return malformed
      return ended(innermost || !hasRoot ? 'truncated' : 'complete')
    }
    const content = text.slice(position, mark)
    if (innermost) {
      const decoded = decodeEntities(content)
      if (decoded === undefined) return malformed
      innermost.text += decoded
    } else if (!isBlank(content)) return malformed

    if (text.startsWith('<!--', mark)) {
      position = after(text, '-->', mark + 4)
    } else if (text.startsWith('<?', mark)) {
      position = after(text, '?>', mark + 2)
    } else if (text.startsWith('<![CDATA[', mark)) {
      if (!innermost) return malformed
      position = after(text, ']]>', mark + 9)
      innermost.text += text.slice(mark + 9, position - 3)
    } else if (text.startsWith('<!', mark)) {
      // A document type, unless the text ends within the beginning of something harmless.
      const rest = text.slice(mark)
      return ['<!--', '<![CDATA['].some((start) => start.startsWith(rest))
        ? ended('truncated')
        : malformed
    } else if (text.startsWith('</', mark)) {
      position = after(text, '>', mark)
      if (position > 0) {
        if (text.slice(mark + 2, position - 1).trimEnd() !== innermost?.name) return malformed
        close(open, elements)
      }
    } else {
      if (hasRoot && !innermost) return malformed
      const tag = readStartTag(text, mark)
      if (!tag || open.length === maxDepth) return malformed
      if (tag === 'truncated') return ended(tag)
      position = tag.end
      hasRoot = true
      if (innermost) innermost.isLeaf = false
      open.push({ name: tag.name, isLeaf: true, text: '' })
      if (tag.isEmpty) close(open, elements)
    }
    // Nothing ends at the beginning.
    if (position === 0) return ended('truncated')
  }
}

const malformed: ErrorXml = { elements: new Map(), state: 'malformed' }

function close(open: OpenElement[], elements: Map<string, string>): void {
  const closed = open.pop()
  const parent = open.at(-1)
  if (!closed?.isLeaf || !parent || localName(parent.name) !== 'Error') return
  const name = localName(closed.name)
  if (!elements.has(name)) elements.set(name, closed.text)
}

type StartTag = { readonly name: string; readonly isEmpty: boolean; readonly end: number }

/** The tag that begins at `mark`; `undefined` where it is none. */
function readStartTag(text: string, mark: number): StartTag | 'truncated' | undefined {
  let index = mark + 1
  while (index < text.length && !/[\s/<>="']/.test(text.charAt(index))) index += 1
  const name = text.slice(mark + 1, index)
  // Attributes are passed over; only their quotes may hide the end of the tag.
  for (; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '<') return undefined
    if (character === '>') {
      if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name)) return undefined
      return { name, isEmpty: text.charAt(index - 1) === '/', end: index + 1 }
    }
    if (character === '"' || character === "'") {
      index = text.indexOf(character, index + 1)
      if (index < 0) return 'truncated'
    }
  }
  return 'truncated'
}

/** The index after the next `end`, or 0 where there is none. */
function after(text: string, end: string, from: number): number {
  const index = text.indexOf(end, from)
  return index < 0 ? 0 : index + end.length
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1)
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
])

/** Character data, or `undefined` where it holds an entity that nothing but a document type defines. */
function decodeEntities(content: string): string | undefined {
  let isKnown = true
  const decoded = content
    .replace(/\r\n?/g, '\n')
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|\w{1,5});|&/gi,
      (reference, decimal?: string, hex?: string) => {
        if (decimal) return characterOf(Number.parseInt(decimal, 10))
        if (hex) return characterOf(Number.parseInt(hex, 16))
        const entity = entities.get(reference)
        isKnown &&= entity !== undefined
        return entity ?? ''
      },
    )
  return isKnown ? decoded : undefined
}

// Some servers write references to what no XML can hold.
function characterOf(code: number): string {
  const isAllowed =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff)
  return isAllowed ? String.fromCodePoint(code) : '\ufffd'
}

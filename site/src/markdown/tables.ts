import type { MarkdownRenderer } from 'vitepress'
import { plotsOf } from './plots.ts'
import { rowsOf } from './rows.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Tables that a reader can filter, by page and heading: which cells name what a reader chooses. */
const filtered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'compatibility.md': { Clients: 'client', Runtimes: 'runtime', 'What a redirect takes along': '' },
  'works-with.md': { 'Works with': 'kind' },
}

/**
 * Puts each table into a box that scrolls, with the name of its section; before it, where there are some, a form to
 * filter it or plots of its numbers.
 */
export function tables(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('tables', ({ tokens, env }) => {
    // VitePress sets it for each page.
    const page = String((env as { relativePath?: string }).relativePath)
    let heading = ''
    let count = 0
    for (const [place, token] of tokens.entries()) {
      if (token.type === 'heading_open') {
        heading = textOf(tokens[place + 1])
        count = 0
      }
      if (token.type !== 'table_open') continue
      count += 1
      const end = tokens.findIndex(({ type }, n) => n > place && type === 'table_close')
      const close = tokens[end]
      const rows = rowsOf(tokens.slice(place, end))
      const plots =
        page === 'speed.md' ? plotsOf(heading, count, rows, markdown.utils.escapeHtml) : ''
      const filter = rows.length > 8 ? filtered[page]?.[heading] : undefined
      const isWide = (rows[0]?.length ?? 0) > 5
      token.meta = { ...token.meta, before: before(heading, count, isWide, filter, plots) }
      if (close) close.meta = { ...close.meta, after: after(filter, plots) }
    }
    markCells(tokens)
  })
  markdown.renderer.rules['table_open'] = (tokens, n) => `${metaOf(tokens[n]).before}<table>\n`
  markdown.renderer.rules['table_close'] = (tokens, n) => `</table>\n${metaOf(tokens[n]).after}`

  function before(
    heading: string,
    count: number,
    isWide: boolean,
    filter: string | undefined,
    plots: string,
  ): string {
    const name = markdown.utils.escapeHtml(count > 1 ? `${heading}, table ${count}` : heading)
    const box = `<div class="table-box${isWide ? ' wide' : ''}" role="group" tabindex="0" aria-label="${name}">`
    if (filter) return `<FilteredTable by="${filter}">\n${box}`
    if (plots) return `${plots}<details class="numbers"><summary>The numbers</summary>\n${box}`
    return box
  }
}

/** Gives cells of numbers, and those that say if something works, a class in place of a style. */
function markCells(tokens: readonly Token[]): void {
  for (const [place, token] of tokens.entries()) {
    if (token.type !== 'td_open' && token.type !== 'th_open') continue
    const text = tokens[place + 1]?.content ?? ''
    // A head without words is no head.
    const isEmpty = token.type === 'th_open' && text === ''
    const close = tokens[place + 2]
    if (isEmpty && close) token.tag = close.tag = 'td'
    const isRight = token.attrGet('style') === 'text-align:right'
    token.attrs = null
    if (isRight) token.attrSet('class', 'number')
    if (text === '✓') token.attrSet('class', 'yes')
    if (/^(?:–|`refused`|refused|not tested|\*\*missed\*\*)$/.test(text))
      token.attrSet('class', 'no')
  }
}

function after(filter: string | undefined, plots: string): string {
  if (filter) return '</div></FilteredTable>\n'
  return plots ? '</div></details>\n' : '</div>\n'
}

function metaOf(token: Token | undefined): { readonly before: string; readonly after: string } {
  // The rule above set one of the two.
  return { before: '', after: '', ...(token?.meta as object) }
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
    .trim()
}

import type { MarkdownRenderer } from 'vitepress'

/** Takes out anchors that are set by hand where the heading below them has the same name: one is enough. */
export function anchors(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('anchors', (state) => {
    let above: string | undefined
    const named = new Set<string>()
    for (const token of state.tokens) {
      if (token.type === 'heading_open') {
        const id = token.attrGet('id') ?? ''
        if (above === id) named.add(id)
      }
      if (token.type === 'inline' || token.type === 'html_block') above = anchorOf(token.content)
    }
    for (const token of state.tokens) {
      const id = token.type === 'inline' ? anchorOf(token.content) : undefined
      if (id !== undefined && named.has(id)) token.children = []
    }
  })
}

function anchorOf(content: string): string | undefined {
  return /^<a id="([^"]+)"><\/a>$/.exec(content.trim())?.[1]
}

import type { MarkdownRenderer } from 'vitepress'

/** Lets links to the inspector load it anew, since a policy belongs to its document. */
export function fullLoads(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('full-loads', ({ tokens }) => {
    const links = tokens.flatMap(({ children }) => children ?? [])
    for (const link of links) {
      if (link.type !== 'link_open') continue
      if (/(?:^|\/)inspector\/$/.test(link.attrGet('href') ?? '')) link.attrSet('target', '_self')
    }
  })
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { site } from '../pages.ts'

/** Shows a diagram of mermaid as the picture that `pnpm site:diagrams` drew, with its source one click away. */
export function diagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules
  markdown.renderer.rules['fence'] = (tokens, place, ...rest) => {
    const { info = '', content = '' } = tokens[place] ?? {}
    if (info.trim() !== 'mermaid') return fence?.(tokens, place, ...rest) ?? ''
    const file = diagramFile(content)
    if (!existsSync(join(site, 'public/diagrams', file))) {
      throw new Error(`a diagram is not drawn; run \`pnpm site:diagrams\`:\n${content}`)
    }
    const [kind = ''] = content.split(/\s/)
    const text = markdown.utils.escapeHtml(content.trim())
    return [
      `<figure class="diagram"><div class="table-box" role="group" tabindex="0" aria-label="Diagram ${file.slice(0, 4)}">`,
      `<img src="/diagrams/${file}" alt="A diagram (${kind}); its source below says it in words."></div>`,
      `<details><summary>The diagram as text</summary><pre tabindex="0" v-pre><code>${text}</code></pre></details></figure>\n`,
    ].join('\n')
  }
}

/** The name of a diagram's picture, which changes with its source. */
export function diagramFile(source: string): string {
  return `${createHash('sha256').update(source).digest('hex').slice(0, 16)}.svg`
}

import type { MarkdownRenderer } from 'vitepress'

/** Lets a reader open a picture alone, in its own size. */
export function pictures(markdown: MarkdownRenderer): void {
  const { image } = markdown.renderer.rules
  markdown.renderer.rules['image'] = (tokens, place, ...rest) => {
    const source = markdown.utils.escapeHtml(tokens[place]?.attrGet('src') ?? '')
    const picture = image?.(tokens, place, ...rest) ?? ''
    return `<a class="picture" href="${source}" target="_self">${picture}</a>`
  }
}

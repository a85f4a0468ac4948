import { type MarkdownEnv } from 'vitepress'

/** The part of markdown-it that the search needs; VitePress brings a copy of its types. */
interface Renders {
  readonly render: (source: string, env: MarkdownEnv) => string
}

/** Returns the words of a page by which it is found: no numbers, not that npm has it not yet, and of a package not how it is installed. */
export function searchText(source: string, env: MarkdownEnv, markdown: Renders): string {
  const { relativePath } = env
  const html = markdown.render(source, env).replaceAll(/<p>Not on npm yet: [^]*?<\/p>/g, '')
  if (relativePath === 'speed.md') return html.replace(/<(table|figure)[^]*?<\/\1>/g, '')
  if (!relativePath.startsWith('packages/')) return html
  return html.replace(/<h2 id="install"[^]*?(?=<h2 )/, '')
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MarkdownEnv } from 'vitepress'
import { guides, root } from '../pages.ts'

/** The part of markdown-it that the search needs; VitePress brings a copy of its types. */
interface Renders {
  readonly render: (source: string, env: MarkdownEnv) => string
}

const taken = takenSections()

/**
 * Returns the words of a page by which it is found: also its description, no numbers, and in a package no section that
 * a guide has too, since each hit would come twice.
 */
export function searchText(source: string, env: MarkdownEnv, markdown: Renders): string {
  const { relativePath } = env
  const html = markdown.render(source, env)
  const text = relativePath === 'speed.md' ? html.replace(/<(table|figure)[^]*?<\/\1>/g, '') : html
  const description: unknown = env.frontmatter?.['description']
  const described =
    typeof description === 'string'
      ? text.replace('</h1>', `</h1><p>${description.replaceAll('<', '&lt;')}</p>`)
      : text
  return relativePath.startsWith('packages/') ? withoutTaken(relativePath, described) : described
}

function withoutTaken(relativePath: string, html: string): string {
  const slugs = taken.get(relativePath)
  let isLeftOut = false
  return html
    .split(/(?=<h[23] )/)
    .filter((section) => {
      const [, level, slug = ''] = /^<h([23]) id="([^"]*)"/.exec(section) ?? []
      // What is below a section belongs to it.
      if (level === '2') isLeftOut = slug === 'install' || slugs?.has(slug) === true
      return !isLeftOut
    })
    .join('')
}

/** The sections of packages that guides take whole, by the page of the package. */
function takenSections(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const guide of guides) {
    const text = readFileSync(join(root, 'site/guides', `${guide}.md`), 'utf8')
    for (const [, name, slug = ''] of text.matchAll(
      /^<!-- take packages\/([\w-]+)\/README\.md#([\w-]+)(?::body)? -->$/gm,
    )) {
      const page = `packages/${name}.md`
      found.set(page, (found.get(page) ?? new Set()).add(slug))
    }
  }
  return found
}

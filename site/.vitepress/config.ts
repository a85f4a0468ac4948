import { join } from 'node:path'
import { slug } from 'github-slugger'
import { createCssVariablesTheme } from 'shiki'
import { defineConfig } from 'vitepress'
import { anchors } from '../src/markdown/anchors.ts'
import { codeClasses } from '../src/markdown/code-classes.ts'
import { diagrams } from '../src/markdown/diagrams.ts'
import { fullLoads } from '../src/markdown/full-loads.ts'
import { pictures } from '../src/markdown/pictures.ts'
import { searchText } from '../src/markdown/search-text.ts'
import { tables } from '../src/markdown/tables.ts'
import { fileOnGitHub } from '../src/documents/links.ts'
import { output, site, sitePages, staged } from '../src/pages.ts'
import { navigation } from '../src/navigation.ts'
import { guideCards, sidebar } from '../src/sidebar.ts'

// Such as /svc-auth/, where the site has no host of its own.
const base = process.env['SITE_BASE'] ?? '/'
const documents = new Map(sitePages().map(({ address, document }) => [`${address}.md`, document]))

// VitePress reads a default export.
export default defineConfig({
  base,
  srcDir: staged,
  outDir: output,
  cacheDir: join(site, 'node_modules/.cache/vitepress'),
  lang: 'en',
  title: 'svc-auth',
  description: 'Authenticates HTTP requests inside the client you already have',
  // The inspector has a build of its own; a test follows every link of what is built.
  ignoreDeadLinks: [/inspector\/$/, /inspector\/index$/],
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  // Else a style is put into the page, which the policy forbids.
  appearance: { disableTransition: false },
  // Else each page has the list of all in a script of its own.
  metaChunk: true,
  // Else a page loads the code of every page in its sidebar.
  router: { prefetchLinks: false },
  markdown: {
    theme: createCssVariablesTheme({ name: 'site' }),
    codeTransformers: [codeClasses],
    languageAlias: { mjs: 'js', cjs: 'js' },
    anchor: { slugify: slug },
    config(markdown) {
      // Vue drops a line break between two elements.
      markdown.renderer.rules['softbreak'] = () => ' '
      markdown.use(anchors)
      markdown.use(tables)
      markdown.use(diagrams)
      markdown.use(fullLoads)
      markdown.use(pictures)
    },
  },
  vite: {
    // A picture inside a page would need a policy that allows it.
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4000 },
    define: { guideCards: JSON.stringify(guideCards()) },
  },
  transformPageData(page) {
    const markdown = base + page.relativePath
    const document = documents.get(page.relativePath)
    const head = [['link', { rel: 'alternate', type: 'text/markdown', href: markdown }]]
    return {
      frontmatter: {
        ...page.frontmatter,
        ...(isWide(page.relativePath) ? { aside: false } : {}),
        head,
        markdown,
        ...(document === undefined ? {} : { source: { document, url: fileOnGitHub(document) } }),
      },
    }
  },
  themeConfig: {
    nav: [...navigation],
    sidebar: sidebar(),
    outline: { level: [2, 3], label: 'On this page' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/svc-auth/svc-auth' }],
    // VitePress takes functions along into the page, where the policy forbids them; but those with a `_`.
    search: {
      provider: 'local',
      options: {
        _render: searchText,
        // A word of four letters has to be right: else `lock` is found for `mock`.
        miniSearch: { searchOptions: { fuzzy: 0.12 } },
      },
    },
  },
})

/** Tells if a page has tables of so many columns that they need the place of the outline. */
function isWide(path: string): boolean {
  return path === 'compatibility.md' || path === 'works-with.md'
}

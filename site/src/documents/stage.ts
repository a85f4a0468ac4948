import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root, site, sitePages, staged, type SitePage } from '../pages.ts'
import { changelogParts } from './changelog.ts'
import { anchorsHere, type Part, partsOf } from './compose.ts'
import { moveLinks } from './links.ts'

/** Writes all pages as Markdown, with links that work both on the site and between these files. */
export function stagePages(): readonly SitePage[] {
  const pages = sitePages()
  rmSync(staged, { recursive: true, force: true })
  for (const page of pages) {
    const text = readFileSync(join(root, page.document), 'utf8')
    write(page.address, partsOf(page.document, text), pages)
  }
  write('changelog', changelogParts(), pages)
  cpSync(join(site, 'public'), join(staged, 'public'), { recursive: true })
  return [...pages, { address: 'changelog', document: 'packages' }]
}

function write(address: string, parts: readonly Part[], pages: readonly SitePage[]): void {
  const here = parts.length > 1 ? anchorsHere(parts) : new Map<string, string>()
  const moved = parts.map(({ document, text }) =>
    moveLinks(text, { document, address, pages, here, takeImage }),
  )
  const path = join(staged, `${address}.md`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${moved.join('\n\n').trim()}\n`)
}

function takeImage(path: string): string {
  const address = `figures/${basename(path)}`
  mkdirSync(join(staged, 'figures'), { recursive: true })
  copyFileSync(join(root, path), join(staged, address))
  return address
}

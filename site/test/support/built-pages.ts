import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { output } from '../../src/pages.ts'

/** A page as it is built. */
export interface BuiltPage {
  /** Its path below the root of the site, such as `guides/streams.html`. */
  readonly path: string
  readonly html: string
}

/** Returns the pages that were built, without those of the inspector, which has its own tests. */
export function builtPages(folder: string = output): readonly BuiltPage[] {
  return globSync('**/*.html', { cwd: folder, exclude: ['inspector/**'] })
    .sort()
    .map((path) => ({ path, html: readFileSync(join(folder, path), 'utf8') }))
}

/** The values of an attribute in a page. */
export function attributes(html: string, name: string): readonly string[] {
  const found = html.matchAll(new RegExp(`<[a-z][^>]*?\\s${name}="([^"]*)"`, 'g'))
  return [...found].map(([, value = '']) => value.replaceAll('&amp;', '&'))
}

/** The path of the file to which a link of a page leads, and its fragment; nothing where it leaves the site. */
export function targetOf(
  from: string,
  link: string,
): { readonly path: string; readonly fragment: string } | undefined {
  if (/^[a-z]+:/i.test(link)) return undefined
  const [address = '', fragment = ''] = link.split('#')
  if (address === '') return { path: from, fragment: decodeURIComponent(fragment) }
  const path = address.startsWith('/') ? address.slice(1) : posix.join(posix.dirname(from), address)
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
  return { path: decodeURIComponent(file), fragment: decodeURIComponent(fragment) }
}

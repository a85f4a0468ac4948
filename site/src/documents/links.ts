import { existsSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { root, type SitePage } from '../pages.ts'
import { proseLines } from './sections.ts'

/** The address at which documents that are read on npm find the others. */
const onGitHub =
  /^https:\/\/github\.com\/svc-auth\/svc-auth(?:\/(?:tree|blob)\/main(?:\/|(?=#|$))|(?=#|$))/
const repository = 'https://github.com/svc-auth/svc-auth'

/** A text that moves from its document to a page. */
export interface Move {
  readonly document: string
  /** The address of the page. */
  readonly address: string
  readonly pages: readonly SitePage[]
  /** The anchor that a heading of a document has on this very page, by `document#anchor`. */
  readonly here: ReadonlyMap<string, string>
  /** Takes an image of the repository along, and returns its path below the root of the site. */
  readonly takeImage: (path: string) => string
}

/**
 * Rewrites the links of a document for the page that shows it: to the page of another document, else to the file
 * on GitHub.
 */
export function moveLinks(text: string, move: Move): string {
  const isProse = proseLines(text)
  return text
    .split('\n')
    .map((line, n) => {
      if (!isProse[n]) return line
      return line.replace(
        /(!?)(\[(?:[^[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)/g,
        (_all, image: string, label: string, link: string) =>
          image ? `!${label}(${movedImage(link, move)})` : `${label}(${movedLink(link, move)})`,
      )
    })
    .join('\n')
}

function movedImage(link: string, move: Move): string {
  if (/^[a-z]+:/.test(link)) throw new Error(`${move.document} shows an image of another host`)
  const path = posix.join(posix.dirname(move.document), link)
  return relativeTo(move.address, move.takeImage(path))
}

function movedLink(link: string, move: Move): string {
  // A page of the site that is no document.
  if (link.startsWith('/')) return relativeTo(move.address, link.slice(1))
  const isOurs = onGitHub.test(link)
  if (!isOurs && /^[a-z]+:/i.test(link)) return link
  const [path = '', anchor] = link.replace(onGitHub, '').split('#')
  const target = targetOf(path, isOurs, move.document)
  // Only GitHub has it, such as the form for a vulnerability.
  if (!existsSync(posix.join(root, target))) {
    if (isOurs) return link
    throw new Error(`${move.document} links to ${link}, which is not there`)
  }
  if (target.replace(/\/$/, '') === 'site/inspector') return relativeTo(move.address, 'inspector/')
  const document = statSync(posix.join(root, target)).isDirectory()
    ? posix.join(target, 'README.md')
    : target
  const hash = anchor === undefined || anchor === 'readme' ? '' : `#${anchor}`
  const here = hash && move.here.get(`${document}${hash}`)
  if (here) return `#${here}`
  const page = move.pages.find((each) => each.document === document)
  if (page?.address === move.address && hash) return hash
  if (page) return `${relativeTo(move.address, `${page.address}.md`)}${hash}`
  return fileOnGitHub(target) + hash
}

function targetOf(path: string, isOurs: boolean, document: string): string {
  if (isOurs) return path || 'README.md'
  return path ? posix.join(posix.dirname(document), path) : document
}

/** The address of a file or folder of the repository. */
export function fileOnGitHub(path: string): string {
  const isFolder = statSync(posix.join(root, path)).isDirectory()
  return `${repository}/${isFolder ? 'tree' : 'blob'}/main/${path.replace(/\/$/, '')}`
}

function relativeTo(address: string, path: string): string {
  const relative = posix.relative(posix.dirname(address), path)
  const end = path.endsWith('/') ? '/' : ''
  return (relative.startsWith('.') ? relative : `./${relative}`) + end
}

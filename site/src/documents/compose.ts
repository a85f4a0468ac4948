import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../pages.ts'
import { fileOnGitHub } from './links.ts'
import { sectionsOf, takeSection } from './sections.ts'

/** A part of a page, with the document that its links are relative to. */
export interface Part {
  readonly document: string
  readonly text: string
}

const takes = /^<!-- take (?<path>[^\s#]+)(?:#(?<choice>\S+))? -->$/

/**
 * Splits a page into its own text and the parts that it takes from elsewhere:
 *
 * - `<!-- take packages/types/README.md#errors -->`, a section with its heading;
 * - `<!-- take README.md#:opening -->`, the text between the title and the first heading;
 * - `<!-- take README.md#:js -->`, the first block of code of a language;
 * - `<!-- take packages/service-auth/package.json -->`, the version and the license of a package.
 *
 * @throws {Error} where there is no such part.
 */
export function partsOf(document: string, text: string): readonly Part[] {
  const parts: Part[] = []
  let own: string[] = []
  const endOwn = (): void => {
    parts.push({ document, text: own.join('\n') })
    own = []
  }
  for (const line of text.split('\n')) {
    const { path, choice } = takes.exec(line)?.groups ?? {}
    if (path) {
      endOwn()
      parts.push({ document: path, text: taken(path, choice) })
    } else own.push(line)
  }
  endOwn()
  return parts
}

/** Returns the anchors that headings of other documents have on a page that took them, by `document#anchor`. */
export function anchorsHere(parts: readonly Part[]): ReadonlyMap<string, string> {
  const onPage = sectionsOf(parts.map(({ text }) => text).join('\n\n'))
  const sources = parts.flatMap(({ document, text }) =>
    sectionsOf(text).map(({ slug }) => `${document}#${slug}`),
  )
  return new Map(sources.map((source, n) => [source, onPage[n]?.slug ?? '']))
}

function taken(path: string, choice: string | undefined): string {
  const text = readFileSync(join(root, path), 'utf8')
  if (path.endsWith('package.json')) return releaseLine(text)
  if (choice === undefined) return text.replace(/^# .*\n+/, '')
  if (choice === ':opening') {
    const [, opening] = /^# .*\n+([^]*?)\n+## /.exec(text) ?? []
    return opening ?? fail(path, choice)
  }
  if (choice.startsWith(':')) {
    const block = new RegExp(`^\`\`\`${choice.slice(1)}\\n[^]*?\\n\`\`\`$`, 'm').exec(text)
    return block?.[0] ?? fail(path, choice)
  }
  return takeSection(text, choice)
}

/** Says if a package is released, from its manifest. */
export function releaseLine(text: string): string {
  // A manifest of this repository.
  const { version, license } = JSON.parse(text) as { version: string; license: string }
  const state =
    version === '0.0.0'
      ? 'Not released yet: the packages are not on npm.'
      : `Version ${version} ([changes](/changelog.html)).`
  return `${state} Open source, [${license} license](${fileOnGitHub('LICENSE')}).`
}

function fail(path: string, choice: string): never {
  throw new Error(`${path} has no ${choice}`)
}

import { createHash } from 'node:crypto'

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g

/** Returns the hashes of all scripts that stand inside a page, as a policy names them. */
export function scriptHashes(html: string): readonly string[] {
  return [...html.matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
}

/** Returns the policy of every page: the files of this very host, and the scripts that the generator inlines. */
export function policyOf(hashes: Iterable<string>): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].sort().join(' ')}`.trim(),
    "style-src 'self'",
    // The icons of the theme are in its style sheet.
    "img-src 'self' data:",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ')
}

/**
 * Puts the policy at the head of a page.
 *
 * @throws {Error} where the page has styles that the policy would not let through.
 */
export function withPolicy(html: string, policy: string): string {
  const [style] = /<style[\s>]|<[a-z][^>]*\sstyle="[^"]*"|<[a-z][^>]*\son[a-z]+="/i.exec(html) ?? []
  if (style) throw new Error(`the policy forbids ${style}`)
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`
  return html.replace('<meta charset="utf-8">', (charset) => `${charset}\n    ${meta}`)
}

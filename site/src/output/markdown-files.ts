import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeGuide, output, type SitePage, staged } from '../pages.ts'

const intro =
  'For programs that read: each page as Markdown. `llms-full.txt` has all of them but the API.'

/** Writes the Markdown beside each page, and the lists of it for programs that read. */
export function writeMarkdown(pages: readonly SitePage[]): void {
  for (const { address } of pages) {
    const path = join(output, `${address}.md`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, plainText(address))
  }
  const figures = join(staged, 'figures')
  if (existsSync(figures)) cpSync(figures, join(output, 'figures'), { recursive: true })
  writeFileSync(join(output, 'llms.txt'), list(pages))
  const most = pages.filter(({ address }) => !address.startsWith('api/'))
  const all = most.map(({ address }) => `<!-- ${address}.md -->\n\n${plainText(address)}`)
  writeFileSync(join(output, 'llms-full.txt'), all.join('\n'))
}

/** A page without what only the site needs: its front matter, and the elements of the front page. */
function plainText(address: string): string {
  const text = readFileSync(join(staged, `${address}.md`), 'utf8')
  return text
    .replace(/^---\n[^]*?\n---\n+/, '')
    .replace(/^<\/?(?:main|div|Front|PageSource)[^\n]*\n/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart()
}

function list(pages: readonly SitePage[]): string {
  const front = plainText('index')
  // The first paragraph that is no picture.
  const [, summary = ''] = /^# .*\n+(?:!\[.*\n+)*([^]*?)\n\n/.exec(front) ?? []
  const groups = [
    ['Guides', (address: string) => address.startsWith('guides/')],
    ['Packages', (address: string) => address.startsWith('packages/')],
    ['API', (address: string) => address.startsWith('api/')],
    ['More', (address: string) => !/^(?:guides|packages|api)\/|^index$/.test(address)],
  ] as const
  const parts = groups.map(([title, has]) => {
    const lines = pages.filter(({ address }) => has(address)).map(({ address }) => line(address))
    return `## ${title}\n\n${lines.join('\n')}`
  })
  return `# svc-auth\n\n> ${summary.replaceAll('\n', ' ')}\n\n${intro}\n\n${parts.join('\n\n')}\n`
}

function line(address: string): string {
  const text = readFileSync(join(staged, `${address}.md`), 'utf8')
  const [, title = address] = /^# (.+)$/m.exec(text) ?? []
  const description = address.startsWith('guides/') ? describeGuide(text).text : ''
  return `- [${title.replaceAll('`', '')}](${address}.md)${description ? `: ${description}` : ''}`
}

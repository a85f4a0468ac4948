import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { browse } from '../tests/support/chromium/browse.ts'
import { diagramFile } from './src/markdown/diagrams.ts'
import { root, site, sitePages } from './src/pages.ts'

// Draws the diagrams of all documents, with Chromium, so that a build of the site needs none.
const folder = join(site, 'public/diagrams')
const sources = sitePages().flatMap(({ document }) =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/^```mermaid\n([^]*?)^```$/gm)].map(
    ([, source = '']) => source,
  ),
)
const drawn = new Map(sources.map((source) => [diagramFile(source), source]))
for (const file of readdirSync(folder)) {
  if (file.endsWith('.svg') && !drawn.has(file)) rmSync(join(folder, file))
}
const mermaid = join(root, 'site/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js')
await browse(async (browser) => {
  const page = await browser.newPage()
  await page.addScriptTag({ path: mermaid })
  for (const [file, source] of drawn) {
    const svg = await page.evaluate(
      // It runs in the page, to which the script above gave `mermaid`.
      `mermaid.initialize({ startOnLoad: false, theme: 'neutral', htmlLabels: false, flowchart: { htmlLabels: false },
        fontFamily: 'system-ui, sans-serif', deterministicIds: true })
      mermaid.render('diagram', ${JSON.stringify(source)}).then(({ svg }) => svg)`,
    )
    writeFileSync(join(folder, file), `${sized(String(svg))}\n`)
    console.log(file)
  }
})

/** A picture needs a size of its own. */
function sized(svg: string): string {
  const [, width = '', height = ''] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(svg) ?? []
  const [wide, high] = [width, height].map((each) => Math.ceil(Number(each)))
  return svg.replace('width="100%"', `width="${wide}" height="${high}"`)
}

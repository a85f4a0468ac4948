import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'vitepress'
import { stagePages } from './documents/stage.ts'
import { addInspector } from './output/inspector.ts'
import { writeMarkdown } from './output/markdown-files.ts'
import { policyOf, scriptHashes, withPolicy } from './output/policy.ts'
import { output, site } from './pages.ts'

/** Builds the whole site into `site/dist`, from the documents as they are. */
export async function buildSite(): Promise<void> {
  rmSync(output, { recursive: true, force: true })
  const pages = stagePages()
  await build(site)
  const files = globSync('**/*.html', { cwd: output }).map((path) => join(output, path))
  const texts = files.map((path) => withoutStyles(readFileSync(path, 'utf8')))
  // One policy for all, since a page that is opened by a click runs under that of the first.
  const policy = policyOf(texts.flatMap(scriptHashes))
  for (const [n, path] of files.entries()) {
    // Only this page has to ask which files the others are in.
    const own = basename(path) === '404.html' ? `${policy}; connect-src 'self'` : policy
    writeFileSync(path, withPolicy(texts[n] ?? '', own))
  }
  writeMarkdown(pages)
  await addInspector()
}

/** The theme renders two styles that its script sets anyhow, once it runs. */
function withoutStyles(html: string): string {
  return html.replace(/(<div[^<>]*?) style="(?:position:relative;|--vp-vh:0px;)"/g, '$1')
}

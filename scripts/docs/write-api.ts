import type { Reflection } from 'typedoc'
import { MarkdownPageEvent } from 'typedoc-plugin-markdown'
import { findWithoutExample } from './examples.ts'
import { indexPage } from './index-page.ts'
import { readApi } from './read-api.ts'

const { application, project } = await readApi()
const { renderer } = application
renderer.on(MarkdownPageEvent.END, (page) => {
  const urlOf = (reflection: Reflection): string => renderer.router?.getFullUrl(reflection) ?? ''
  if (page.model === project) page.contents = indexPage(project, urlOf)
})
await application.generateOutputs(project)
for (const name of findWithoutExample(project)) {
  application.logger.error(`${name} must have one @example`)
}
if (application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1

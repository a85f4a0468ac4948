import { join } from 'node:path'
import { Application, type ProjectReflection } from 'typedoc'
import { findEntryPoints } from './entry-points.ts'
import { byImportance } from './order.ts'

const root = join(import.meta.dirname, '../..')

/** Types that ky and got hand to hooks, and that nobody writes by hand. */
const notExported: Readonly<Record<string, readonly string[]>> = {
  '@svc/auth-hooks': ['GotOptions', 'KyErrorState', 'KyParameters', 'KyState'],
}

/** Parts that the packages share by an entry, and that are none of a user's: they may change in any release. */
const shared: Readonly<Record<string, readonly string[]>> = {
  '@svc/auth-hooks/scheme': [
    'abortError',
    'assertHeedsRedirects',
    'assertNoDotSegment',
    'assertNotAborted',
    'assertScheme',
    'chain',
    'checkFunctions',
    'describeOrigins',
    'documentBaseUrl',
    'emit',
    'hasDotSegment',
    'isHttpToken',
    'isLoopback',
    'isRedirectStatus',
    'isRequest',
    'isThenable',
    'LoginStart',
    'matchBase',
    'MaybePromise',
    'misnamed',
    'nextTurn',
    'normalizeMethod',
    'readPath',
    'readTrustRedirects',
    'redirectedOrigin',
    'requireSubtle',
    'retryAfterMs',
    'singleFlight',
    'TracedLogin',
    'traceLogin',
    'uncovered',
  ],
}

/** The exports, and typedoc, which can write their pages. */
export interface Api {
  readonly application: Application
  readonly project: ProjectReflection
}

/**
 * Reads the exports of the published packages from their sources, with the comments there.
 *
 * @throws Error if something has no comment, a link leads nowhere, or a type is not exported.
 */
export async function readApi(): Promise<Api> {
  const entryPoints = findEntryPoints(root)
  const packageNames = [...new Set(entryPoints.map(({ packageName }) => packageName))]
  const application = await Application.bootstrapWithPlugins({
    options: import.meta.dirname,
    entryPoints: entryPoints.map(({ file }) => file),
  })
  const { logger, options } = application
  const project = await application.convert()
  if (!project) throw new Error('The sources do not compile')
  for (const { name, children = [] } of project.children ?? []) {
    const removed = children.filter((child) => shared[name]?.includes(child.name))
    for (const child of removed) project.removeReflection(child)
  }

  for (const name of packageNames) {
    // Comments and exports are checked in one package, that of the project.
    project.packageName = name
    options.setValue('intentionallyNotExported', [...(notExported[name] ?? [])])
    application.validate(project)
  }
  for (const module of project.children ?? []) {
    for (const group of module.groups ?? []) group.children = byImportance(group.children)
  }
  const modules = new Set(project.children?.map(({ name }) => name))
  for (const { name, file } of entryPoints) {
    if (!modules.has(name)) logger.error(`${file} needs a comment with @module ${name}`)
  }
  if (logger.hasErrors() || logger.hasWarnings()) {
    throw new Error('Not everything is documented as it has to be: see above')
  }
  return { application, project }
}

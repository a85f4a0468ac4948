import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** The clients that Node finds by itself. */
const clients =
  /^(?:axios|got(?:14)?|ky1?|ofetch|openapi-fetch|undici7?|up-fetch|wretch|@better-fetch\/fetch|@hey-api\/client-fetch)$/

/** What a bundler takes of packages for a page or, as wrangler does, for a worker. */
const browserConditions = { neutral: ['browser'], workerd: ['workerd', 'worker', 'browser'] }

const browserFields = { mainFields: ['browser', 'module', 'main'], aliasFields: [['browser']] }

/** A file of `tests` as one module, for runtimes that do not take TypeScript. */
export async function bundle(
  entry: string,
  platform: 'node' | 'neutral' | 'workerd',
  define: Record<string, string> = {},
): Promise<string> {
  const build = await rolldown({
    input: resolve(import.meta.dirname, '..', entry),
    platform: platform === 'node' ? 'node' : 'neutral',
    external: platform === 'node' ? clients : /^cloudflare:/,
    // Without `node`, the neutral platform chooses what runs on the web platform alone.
    resolve: {
      conditionNames: [
        '@svc/source',
        'import',
        ...(platform === 'node' ? ['node'] : browserConditions[platform]),
      ],
      ...(platform === 'node' ? {} : browserFields),
    },
    transform: { define },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** An entry of this package as one module, for runtimes that do not take TypeScript. */
export async function bundle(
  entry: string,
  platform: 'node' | 'neutral' | 'workerd',
  define: Record<string, string> = {},
): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL(entry, import.meta.url)),
    platform: platform === 'node' ? 'node' : 'neutral',
    external: /^cloudflare:/,
    // Without `node`, the neutral platform chooses what runs on the web platform alone.
    resolve: {
      conditionNames: ['@svc/source', 'import', ...(platform === 'neutral' ? [] : [platform])],
    },
    transform: { define },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

import { mkdir, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** The functions of a cloud that sign one request, each a file in `functions`. */
export const functions = {
  'aws-auth': 'createAwsAuth with the light authFetch',
  'aws-auth-with-credentials': 'the same with awsCredentials',
  aws4fetch: 'aws4fetch',
} as const

export type FunctionName = keyof typeof functions

const folder = fileURLToPath(new URL('../../dist/functions', import.meta.url))

/** Bundles each function with all that it needs into one minified module, as it is deployed; returns their URLs. */
export async function bundleFunctions(): Promise<Record<FunctionName, string>> {
  await mkdir(folder, { recursive: true })
  const urls: Partial<Record<FunctionName, string>> = {}
  for (const name of Object.keys(functions) as FunctionName[]) {
    const input = fileURLToPath(new URL(`functions/${name}.ts`, import.meta.url))
    const build = await rolldown({ input, platform: 'node', external: isBuiltin })
    const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
    await build.close()
    const file = `${folder}/${name}.mjs`
    await writeFile(file, output[0].code)
    urls[name] = pathToFileURL(file).href
  }
  // Each name has had its turn.
  return urls as Record<FunctionName, string>
}

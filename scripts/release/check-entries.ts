import {
  checkPackage as checkTypes,
  createPackageFromTarballData,
  type Problem,
} from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'
import { readFile } from 'node:fs/promises'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// How a package of ES modules is found: its users cannot do with the others what these find.
const resolutions = ['node16-esm', 'bundler'] as const

/** Returns a line for each way to import a packed package that does not find its code or its types. */
export async function checkEntries(path: string): Promise<string[]> {
  const file = await readFile(path)
  const tarball = new Uint8Array(file).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const types = await checkTypes(createPackageFromTarballData(new Uint8Array(tarball)))
  // A program has none.
  const problems = types.types
    ? resolutions.flatMap((resolutionKind) => filterProblems(types, { resolutionKind }))
    : []
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
    ...[...new Set(problems)].map(describe),
  ]
}

function describe(problem: Problem): string {
  const place = 'entrypoint' in problem ? ` of ${problem.entrypoint}` : ''
  return `the types${place}: ${problem.kind}`
}

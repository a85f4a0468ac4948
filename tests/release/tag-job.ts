import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { hasProgram } from '../support/needs.ts'
import { outputIn } from '../support/run-program.ts'
import type { Maintainer } from './maintainer.ts'

/** Tells if the program is there that the job reads manifests with. */
export const hasJq: boolean = hasProgram('jq', ['jq', '--version'], 'apt-get install jq')

/** The part of a workflow that is read. */
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>
}

// In place of GitHub's program: a release is a file with its notes, by the name of its tag.
const program = `#!/bin/sh
case "$2" in
  view) test -e "$RELEASES/$(echo "$3" | tr / +)" ;;
  create) cp notes.md "$RELEASES/$(echo "$3" | tr / +)" ;;
esac
`

/** Runs the job of the workflow that cuts the notes of each release out of the changelogs; returns all so far. */
export async function runTagJob(
  maintainer: Maintainer,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const [programs, releases] = [join(folder, 'programs'), join(folder, 'releases')]
  await mkdir(programs, { recursive: true })
  await mkdir(releases, { recursive: true })
  await writeFile(join(programs, 'gh'), program)
  await chmod(join(programs, 'gh'), 0o755)
  // A file of this very repository.
  const workflow = parse(await maintainer.read('.github/workflows/release.yml')) as Workflow
  const script = workflow.jobs['tag']?.steps.find(({ run }) => run?.includes('gh release'))?.run
  if (script === undefined) throw new Error('release.yml has no job that makes releases')
  const environment = {
    PATH: `${programs}:${process.env['PATH']}`,
    RELEASES: releases,
    GITHUB_SHA: 'main',
  }
  // As GitHub runs it.
  await outputIn(maintainer.folder, ['bash', '-eo', 'pipefail', '-c', script], environment)
  await outputIn(maintainer.folder, ['rm', 'notes.md'])
  const notes: Record<string, string> = {}
  for (const file of (await readdir(releases)).sort()) {
    notes[file.replace('+', '/')] = await readFile(join(releases, file), 'utf8')
  }
  return notes
}

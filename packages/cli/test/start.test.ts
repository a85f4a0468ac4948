import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import { run } from '../../../tests/support/run-program.ts'
import { emptyFolder } from './support/folder.ts'
import { cleanEnvironment, commandArguments } from './support/run-process.ts'

/** Prints at the end which parts of Node are loaded, of those that take as long as the rest of the command. */
const listSlow = `data:text/javascript,process.on('exit', () => console.error(JSON.stringify(
  ['http', 'https', 'http2', 'tls'].filter((name) => process.moduleLoadList.includes('NativeModule ' + name)))))`

test.each([['--version'], ['--help'], ['profile', 'list'], ['fetch', '--help']])(
  'a command that sends nothing loads no client of HTTP: %s %s',
  async (...argv) => {
    const args = ['--import', listSlow, ...commandArguments, ...argv]
    const environment = cleanEnvironment(await emptyFolder())
    const { status, stderr } = await run(execPath, args, '', environment)
    expect({ status, loaded: stderr.split('\n').at(-2) }).toEqual({ status: 0, loaded: '[]' })
  },
)

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../tests/support/run-program.ts'
import { repository } from './repository.ts'

// A manifest of this very repository.
const { packageManager } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  packageManager: string
}

/** The command for the pnpm that package.json pins, whichever is installed. */
export const pnpmCommand: readonly [command: string, ...args: string[]] = findPnpm(process.env)

/** Returns the pnpm that started this process, if it is the right one: npx takes half a second to find it again. */
function findPnpm(environment: NodeJS.ProcessEnv): readonly [command: string, ...args: string[]] {
  const { npm_execpath: program = '', npm_config_user_agent: agent = '' } = environment
  const isPinned = agent.startsWith(`${packageManager.replace('@', '/')} `)
  if (isPinned && /[/\\]pnpm$/.test(program)) return [program]
  // On Windows it is a script, which only a shell starts.
  const npx = ['npx', '--yes', packageManager] as const
  return process.platform === 'win32' ? ['cmd', '/d', '/c', ...npx] : npx
}

/**
 * Runs pnpm and returns its output.
 *
 * @throws {Error} if it fails, with all of its output.
 */
export async function pnpm(args: readonly string[]): Promise<string> {
  const [command, ...before] = pnpmCommand
  const { status, stdout, stderr } = await run(command, [...before, ...args])
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed\n${stdout}${stderr}`)
  return stdout
}

import type { RunCommand } from '../../command.ts'
import { type ExitCode } from '../../exit.ts'
import type { EmulatorCommandOptions } from './emulator.options.ts'

/** Runs the emulator until the command is ended. */
export const runEmulator: RunCommand<EmulatorCommandOptions> = async (_, options, context) => {
  const { runEmulatorCommand } = await import('@svc/emulator/command')
  const { port, host, region, users, keys } = options
  const args = Object.entries({ port, host, region, users, keys }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  )
  // Its exit codes are those of every command.
  return (await runEmulatorCommand(args, context, 'svc-auth emulator')) as ExitCode
}

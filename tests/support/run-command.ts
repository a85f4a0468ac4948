import process from 'node:process'

/**
 * Runs a program with what its arguments ask for. Where something is wrong with them, it is told with
 * the help text, and the status is 2.
 */
export async function runCommand<Command>(
  read: (args: readonly string[]) => Command,
  usage: string,
  run: (command: Command) => Promise<void>,
): Promise<void> {
  let command: Command
  try {
    command = read(process.argv.slice(2))
  } catch (error) {
    console.error(`${String(error)}\n\n${usage}`)
    process.exitCode = 2
    return
  }
  await run(command)
}

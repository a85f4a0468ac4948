import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import {
  type CommandDefinition,
  type CommandGroup,
  type CommandOption,
  globalOptions,
} from './command.ts'
import { withAwsBaseUrl } from './aws/aws-profile.ts'
import { commands } from './commands/commands.ts'
import { readConfiguration } from './configuration/configuration.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes, UsageError } from './exit.ts'
import { reportError } from './output/report-error.ts'
import { writeResult } from './output/standard-output.ts'

/**
 * Carries out a command line, such as `['fetch', '/user/groups']`.
 *
 * @returns the exit code
 */
export async function runProgram(
  argv: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  const outcome: Parameters<typeof createProgram>[1] = { exitCode: exitCodes.done, help: '' }
  const program = createProgram(context, outcome)
  try {
    checkFlags(argv)
    await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => {
      // It has said what is wrong, or has the help ready.
      if (!(error instanceof CommanderError)) throw error
      outcome.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    })
    if (outcome.help !== '') await writeResult(context, outcome.help)
  } catch (error) {
    return reportError(error, context)
  }
  return outcome.exitCode
}

/** Creates the parser of the command line. */
function createProgram(
  context: CommandContext,
  outcome: { exitCode: ExitCode; help: string },
): Command {
  const program = new Command('svc-auth')
    .description('Log in, send, sign and diagnose requests to the service.')
    .version(ownVersion(), '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(svc-auth --help lists the commands)')
    .configureOutput({
      writeOut: (text) => (outcome.help += text),
      // The value of an unknown flag may be a secret.
      writeErr: (text) =>
        context.stderr.write(text.replace(/(?<=unknown option )'([^]*)'/, unknownFlag)),
      outputError: (text, write) => write(text.replace(/^error: /, 'svc-auth: ')),
      getOutHelpWidth: () => context.stdout.columns ?? 100,
      getErrHelpWidth: () => context.stderr.columns ?? 100,
    })
  for (const one of commands) {
    if ('commands' in one) {
      const group = addNamed(program, one)
      for (const part of one.commands) addCommand(group, part)
    } else addCommand(program, one)
  }
  return program

  function addNamed(
    parent: Command,
    { name, summary, description }: CommandGroup | CommandDefinition<never>,
  ): Command {
    const call = parent === program ? name : `${parent.name()} ${name}`
    const help = `(svc-auth ${call} --help shows how it is used)`
    return parent.command(name).summary(summary).description(description).showHelpAfterError(help)
  }

  function addCommand(parent: Command, definition: CommandDefinition<never>): void {
    const { args, examples, isConfigured, run } = definition
    const command = addNamed(parent, definition)
    for (const argument of args) command.argument(argument.name, argument.description)
    for (const option of definition.options) command.addOption(optionOf(option))
    if (isConfigured !== false) {
      command.optionsGroup('Configuration:')
      for (const option of globalOptions) command.addOption(optionOf(option))
    }
    command.addHelpText('after', examplesText(examples))
    command.action(async () => {
      // The parser gives what the flags of this very command say.
      const given = command.opts<never>()
      const options = await withAwsBaseUrl(command.args, given, context, readConfiguration)
      outcome.exitCode = await run(command.args, options, context).catch(async (error: unknown) => {
        const configuration = await readConfiguration(options, context).catch(() => undefined)
        return reportError(error, context, configuration?.baseUrl)
      })
    })
  }
}

const secretFlag =
  /^(?:--?(?:[\w-]*(?:password|passwd|passphrase|secret|token)[\w-]*)(?:=|$)|--user(?:=|$)|-u)/i
const everyCommand = { name: '<command>', options: globalOptions }
/** The names of the commands that have a flag. */
const owners = new Map<string, string[]>()
for (const one of [everyCommand, ...commands]) {
  for (const { options } of 'commands' in one ? one.commands : [one]) {
    const flags = options.flatMap((option) => option.flags.match(/(?<!\S)--?[\w-]+/g) ?? [])
    for (const flag of flags) owners.set(flag, [...(owners.get(flag) ?? []), one.name])
  }
}

/** Returns an unknown flag without its value, and what to do in its place. */
function unknownFlag(_: string, given: string): string {
  const flag = flagOf(given)
  const names = [...new Set(owners.get(flag))].join(', ')
  const instead = /^(?:-T|--upload-file)$/.test(flag)
    ? ': give -X PUT -d @file and its content-type by -H'
    : names
      ? `: it is one of svc-auth ${names}`
      : /^(?:-\w|--continue-at)$/.test(flag) &&
        ': flags of curl work by svc-auth sign or svc-auth proxy'
  return `'${flag}'${instead || ''}`
}

/** Checks what the parser would be short about: a secret that is given as a flag, and a flag before its command. */
function checkFlags(argv: readonly string[]): void {
  const [first = ''] = argv
  const flag = flagOf(first)
  const [owner, ...others] = owners.get(flag) ?? []
  if (owner !== undefined) {
    const possible = owner === everyCommand.name ? commands.map(({ name }) => name) : others
    const called = possible.find((name) => argv.includes(name)) ?? owner
    throw new UsageError(`${flag} stands after the command: svc-auth ${called} ${flag} …`)
  }
  for (const argument of argv) {
    if (argument === '--') return
    if (!secretFlag.test(argument) || owners.has(flagOf(argument))) continue
    throw new UsageError(
      `${flagOf(argument)} is no flag: others can read a secret in the list of processes and in the history of the shell; ` +
        'set SVC_AUTH_PASSWORD or SVC_AUTH_SECRET_ACCESS_KEY, keep it in the keyring (svc-auth profile add --secret-stdin < file), ' +
        'or log in once (svc-auth login --password-stdin < file); on a terminal, both ask for it',
    )
  }
}

/** Returns the flag of an argument without its value, which may stand right behind it. */
function flagOf(argument: string): string {
  return /^(?:--[\w-]+|-\w)/.exec(argument)?.[0] ?? ''
}

/** Returns the version of this package; its manifest stands above the source and the built file alike. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { version }: { version: string } = JSON.parse(text)
  return version
}

function optionOf({ flags, description, isRepeatable, ...rest }: CommandOption): Option {
  const text =
    rest.default === undefined ? description : `${description} (default: ${rest.default})`
  const option = new Option(flags, text)
  if (isRepeatable) {
    return option.argParser((value: string, before?: string[]) => [...(before ?? []), value])
  }
  return option.argParser((value: string, before: string | undefined) => {
    if (before !== undefined) throw new UsageError(`${flags.replace(/ [<[].*/, '')} is given twice`)
    return value
  })
}

function examplesText(examples: CommandDefinition['examples']): string {
  const lines = examples.map(({ line, does }) => `  # ${does}\n  ${line}\n`)
  return `\nExamples:\n${lines.join('\n')}`
}

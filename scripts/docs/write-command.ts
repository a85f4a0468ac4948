import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CommandDefinition,
  type CommandOption,
  globalOptions,
} from '../../packages/cli/src/command.ts'
import { commands } from '../../packages/cli/src/commands/commands.ts'

// Writes docs/cli.md from the definitions that the help of the command is made of.

/** A command with the words that call it. */
interface CalledCommand {
  readonly call: string
  readonly definition: CommandDefinition<never>
}

const all: readonly CalledCommand[] = commands.flatMap((one) =>
  'commands' in one
    ? one.commands.map((part) => ({ call: `${one.name} ${part.name}`, definition: part }))
    : [{ call: one.name, definition: one }],
)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function optionRows(options: readonly CommandOption[]): readonly (readonly string[])[] {
  return options.map(({ flags, description, default: without, isRepeatable }) => [
    `\`${flags}\``,
    asMarkdown(isRepeatable ? `${description}; may be repeated` : description),
    without ?? '',
  ])
}

/** A `<file>` of the help is no element, which a reader would not see. */
function asMarkdown(text: string): string {
  return text.replaceAll('<', String.raw`\<`)
}

function section({ call, definition }: CalledCommand): string {
  const { args, options, description, examples, isConfigured } = definition
  const usage = ['svc-auth', call, '[options]', ...args.map(({ name }) => name)].join(' ')
  const optionTable = table(['option', 'meaning', 'default'], optionRows(options))
  const argumentTable = table(
    ['argument', 'meaning'],
    args.map((argument) => [`\`${argument.name}\``, asMarkdown(argument.description)]),
  )
  return [
    `## ${call}`,
    asMarkdown(description),
    `\`\`\`\n${usage}\n\`\`\``,
    ...(args.length > 0 ? [argumentTable] : []),
    ...(options.length > 0 ? [optionTable] : []),
    ...(isConfigured === false
      ? []
      : ['And the [options of every command](#options-of-every-command).']),
    `\`\`\`sh\n${examples.map(({ line, does }) => `# ${does}\n${line}`).join('\n\n')}\n\`\`\``,
  ].join('\n\n')
}

const page = [
  '# The command `svc-auth`',
  'Every command with its options, as its `--help` says them. The [README](../packages/cli/README.md) begins with a first use.',
  table(
    ['command', 'use'],
    all.map(({ call, definition }) => [
      `[\`${call}\`](#${call.replaceAll(' ', '-')})`,
      definition.summary,
    ]),
  ),
  '## Options of every command',
  'They name the service and who uses it. Each is looked for in the flags, then in the environment, then in the profile. [Variables, secrets and exit codes](../packages/cli/README.md#configuration) are in the README.',
  table(['option', 'meaning', 'default'], optionRows(globalOptions)),
  ...all.map(section),
].join('\n\n')

writeFileSync(join(import.meta.dirname, '../../docs/cli.md'), `${page}\n`)

import { text } from 'node:stream/consumers'
import type { CommandContext } from '../context.ts'
import { Interrupted, UsageError } from '../exit.ts'
import { type SecretPlace, withoutLineEnd } from './settings.ts'

/** Tells if somebody can be asked: a terminal for what is shown and for what is typed. */
export function canPrompt({ stdin, stderr }: CommandContext): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/**
 * Asks for a secret on the terminal, without showing it.
 *
 * @param isOptional - `true` if it may be left out, and is `''` then.
 */
export async function promptSecret(
  question: string,
  context: CommandContext,
  isOptional = false,
): Promise<string> {
  if (!canPrompt(context)) throw new UsageError(`${question} cannot be asked without a terminal`)
  const { password } = await import('@clack/prompts')
  const given: string | symbol | undefined = await password({
    message: question,
    // The result of a command goes to standard output, and nothing else.
    output: context.stderr as never,
    input: context.stdin as never,
    signal: context.signal,
    mask: '*',
    clearOnError: true,
    validate: (value) =>
      value || isOptional ? undefined : 'It must not be empty; press Ctrl-C to give up',
  })
  // A symbol stands for Ctrl-C.
  if (typeof given === 'symbol') throw new Interrupted()
  return given ?? ''
}

/** Finds a secret in the keyring or, where somebody can be asked, on the terminal, once. */
export async function findKept(
  account: string,
  question: string,
  context: CommandContext,
): Promise<SecretPlace<string> | undefined> {
  const keyring = await context.platform.openKeyring()
  const kept = keyring?.get(account)
  if (kept !== undefined) return { source: 'the keyring', read: async () => kept }
  if (!canPrompt(context)) return undefined
  let typed: Promise<string> | undefined
  const read = (): Promise<string> => (typed ??= promptSecret(question, context))
  return { source: 'the terminal', isPrompt: true, read }
}

/** Reads a secret that was piped in: the first line of standard input. */
export async function readPipedSecret(flag: string, context: CommandContext): Promise<string> {
  if (context.stdin.isTTY) {
    throw new UsageError(
      `${flag} reads the secret from a pipe: … | svc-auth …; leave it out to be asked`,
    )
  }
  const [line = ''] = (await text(context.stdin)).split('\n')
  const secret = withoutLineEnd(line)
  if (secret === '') throw new UsageError(`${flag}: standard input is empty`)
  return secret
}

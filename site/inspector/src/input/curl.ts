import { isCmdLine, splitCmdWords } from './cmd-words.ts'
import { CurlCommand } from './curl-command.ts'
import { requestOf } from './curl-request.ts'
import { InputError } from './input-error.ts'
import type { PastedRequest } from './pasted-request.ts'
import { type ShellCommand, splitShellWords } from './shell-words.ts'

/**
 * Reads a command line of curl, as it is typed or as browsers copy it, into the request that it sends.
 *
 * @throws InputError naming the option that cannot be read.
 * @see https://curl.se/docs/manpage.html
 */
export function readCurl(text: string): PastedRequest {
  const { words, ending, hasExpansions } = wordsOf(text)
  const command = new CurlCommand(text)
  const [program, ...rest] = words[0]?.text === '$' ? words.slice(1) : words
  if (!/(?:^|[\\/])curl(?:\.exe)?$/i.test(program?.text ?? '')) {
    throw new InputError('command', 'the first word is not curl.', 1, 1)
  }
  if (ending === '&') {
    command.gathered.notes.push(
      'A shell ends this command at the & that is not quoted; quote the URL.',
    )
  }
  if (hasExpansions) {
    command.gathered.notes.push(
      'A shell puts values in the place of $… and `…`, which are not known here; they are read as they stand.',
    )
  }
  for (let index = 0; index < rest.length && !command.isComplete; index += 1) {
    index += command.take(rest[index], rest[index + 1])
  }
  return requestOf(command.gathered, text)
}

function wordsOf(text: string): ShellCommand {
  if (!isCmdLine(text)) return splitShellWords(text)
  return { words: splitCmdWords(text), ending: '', hasExpansions: false }
}

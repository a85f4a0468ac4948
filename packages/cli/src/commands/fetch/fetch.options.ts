import { type CommandOption, http2Option } from '../../command.ts'
import { headerOption } from '../../request/request.options.ts'

/** Values of {@link fetchOptions}. */
export interface FetchOptions {
  readonly request?: string
  readonly method?: string
  readonly header?: readonly string[]
  readonly data?: readonly string[]
  readonly dataBinary?: readonly string[]
  readonly dataRaw?: readonly string[]
  readonly json?: readonly string[]
  readonly uploadFile?: string
  readonly output?: string
  readonly remoteName?: boolean
  readonly range?: string
  readonly include?: boolean
  readonly head?: boolean
  readonly fail?: boolean
  readonly location?: boolean
  readonly compressed?: boolean
  readonly maxTime?: string
  readonly silent?: boolean
  readonly showError?: boolean
  readonly verbose?: boolean
}

/** The flags of `fetch`. */
export const fetchOptions: readonly CommandOption[] = [
  {
    flags: '-X, --request <method>',
    description: 'the method',
    default: 'GET; POST with --data or --json, PUT with --upload-file, HEAD with --head',
  },
  { flags: '--method <method>', description: 'the same as --request' },
  headerOption,
  {
    flags: '-d, --data <data>',
    description:
      'the body, as a form: text, @file or @- for standard input, sent as it is, line breaks included; ' +
      'several are joined by &',
    isRepeatable: true,
  },
  { flags: '--data-binary <data>', description: 'the same as --data', isRepeatable: true },
  {
    flags: '--data-raw <text>',
    description: 'the body, as a form, where a leading @ has no meaning',
    isRepeatable: true,
  },
  {
    flags: '--json <data>',
    description: 'the body, as JSON: text, @file or @-; asks for JSON too; several are joined',
    isRepeatable: true,
  },
  {
    flags: '-T, --upload-file <file>',
    description:
      'a file to send as it is, or - for standard input; a path that ends with / gets the name of the file. ' +
      'A pipe is read to its end before it is sent, since the service wants the length: beyond 8 MiB it ' +
      'is kept in a temporary file, unless -H "Content-Length: <bytes>" tells the length',
  },
  {
    flags: '-o, --output <file>',
    description: 'the file to write the body to; - is standard output, binary or not',
    default: '-, but nothing binary on a terminal',
  },
  { flags: '-O, --remote-name', description: 'write to a file named like the end of the path' },
  { flags: '-r, --range <range>', description: 'the bytes to get, such as 0-499 or -500' },
  { flags: '-i, --include', description: 'print the head of the response before the body' },
  { flags: '-I, --head', description: 'send HEAD, and print the head of the response' },
  { flags: '-f, --fail', description: 'print nothing of an error but one line' },
  {
    flags: '-L, --location',
    description: 'follow redirects within the service; elsewhere is an error',
    default: 'a redirect is printed, and not followed',
  },
  { flags: '--compressed', description: 'ask for a compressed response, and decompress it' },
  {
    flags: '-m, --max-time <seconds>',
    description: 'the longest that all of it may take',
    default: 'no limit, but for 5 minutes without a byte of a body',
  },
  { flags: '-s, --silent', description: 'show neither progress nor hints' },
  { flags: '-S, --show-error', description: 'accepted as curl does; errors are always shown' },
  http2Option,
  {
    flags: '-v, --verbose',
    description: 'print each request and response on standard error, without secrets',
  },
]

import type { CommandOption } from '../command.ts'

/** Values of {@link requestOptions}. */
export interface RequestFlags {
  readonly request?: string
  readonly header?: readonly string[]
  readonly data?: string
}

/** The flag that gives a header, as curl has it. */
export const headerOption: CommandOption = {
  flags: '-H, --header <line>',
  description:
    'a header to send: "Name: value", "Name;" for an empty one, "Name:" to leave one out, @file for a ' +
    'header per line',
  isRepeatable: true,
}

/** The flags that describe a request, for commands that sign one without streaming its body: those of `fetch`. */
export const requestOptions: readonly CommandOption[] = [
  {
    flags: '-X, --request <method>',
    description: 'the method',
    default: 'GET, or POST with --data',
  },
  headerOption,
  {
    flags: '-d, --data <data>',
    description:
      'the body, as a form unless a content-type is given: text, @file or @- for standard input, sent as it is, ' +
      'line breaks included',
  },
]

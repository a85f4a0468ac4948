import type { CommandOption } from '../command.ts'

/** Values of {@link requestOptions}. */
export interface RequestFlags {
  readonly method?: string
  readonly header?: readonly string[]
  readonly data?: string
}

/** The flags that describe a request, for commands that sign one without streaming its body. */
export const requestOptions: readonly CommandOption[] = [
  {
    flags: '-X, --method <method>',
    description: 'the method',
    default: 'GET, or POST with --data',
  },
  {
    flags: '-H, --header <line>',
    description: "a header as 'name: value', or @file with one on each line; may be repeated",
    isRepeatable: true,
  },
  {
    flags: '-d, --data <text>',
    description: 'the body: a text, @file, or @- for the standard input; sent byte for byte',
  },
]

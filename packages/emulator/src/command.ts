import { parseArgs } from 'node:util'

/** The help text of `svc-emulator`. */
export const usage: string = `svc-emulator: a local stand-in for the service

  --port <number>    the port to listen on (default: a free one)
  --host <address>   the address to bind (default: 127.0.0.1)
  --region <name>    the region that signatures must name (default: us-east-1)
  --help             show this help
`

/** What the command line of `svc-emulator` asks for. */
export type Command =
  | {
      readonly kind: 'serve'
      readonly port: number
      readonly host: string
      readonly region: string
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }

/** Reads the arguments of `svc-emulator`. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '0' },
        host: { type: 'string', default: '127.0.0.1' },
        region: { type: 'string', default: 'us-east-1' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { kind: 'help' }
    const { host, region } = values
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
      return {
        kind: 'wrong',
        message: `--port must be a number from 0 to 65535, not "${values.port}"`,
      }
    }
    if (host === '') return { kind: 'wrong', message: '--host must not be empty' }
    if (!/^[^/,\s]+$/.test(region)) {
      return { kind: 'wrong', message: `--region must be a name, not "${region}"` }
    }
    return { kind: 'serve', port: Number(values.port), host, region }
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) }
  }
}

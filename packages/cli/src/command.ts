import { awsOption } from './aws/aws-option.ts'
import type { CommandContext } from './context.ts'
import type { ExitCode } from './exit.ts'

/** An option of a command, in the form that `--help` shows. */
export interface CommandOption {
  /** Such as `-X, --request <method>`. */
  readonly flags: string
  readonly description: string
  /** The value without the flag, as the help shows it; a command fills it in by itself. */
  readonly default?: string
  /** `true` if the option may be given several times; its value is a list. */
  readonly isRepeatable?: boolean
}

/** A line to copy, and what it does. */
export interface CommandExample {
  readonly line: string
  readonly does: string
}

/**
 * A command, with its help, which the documents are made of. What it does loads other packages once it needs them.
 *
 * @template Options - The values of its options, such as `Switches<'json'>`.
 */
export interface CommandDefinition<Options extends object = Record<string, unknown>> {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** Some sentences, for its own help. */
  readonly description: string
  /** Such as `<path>`, or `[file]` for one that may be left out. */
  readonly args: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly CommandOption[]
  readonly examples: readonly [CommandExample, CommandExample, ...CommandExample[]]
  /** `false` for a command that reads no configuration. */
  readonly isConfigured?: false
  /** Carries it out. Resolves to its exit code; what it throws is reported on standard error. */
  readonly run: (
    args: readonly string[],
    options: Options & GlobalOptions,
    context: CommandContext,
  ) => Promise<ExitCode>
}

/** The values of options by their long names in camel case: texts. */
export type Texts<Name extends string> = { readonly [Option in Name]?: string }
/** Those of options that may be repeated. */
export type Lists<Name extends string> = { readonly [Option in Name]?: readonly string[] }
/** Those of options without a value. */
export type Switches<Name extends string> = { readonly [Option in Name]?: boolean }

/** The service, and who uses it: in flags, in the environment and in profiles. */
export type Settings = Texts<'baseUrl' | 'region' | 'repeatedParameters'> &
  Texts<'username' | 'parentUid' | 'accessKeyId'>

/** Options of every command that reads the configuration; `http2` is one of those that send. */
export type GlobalOptions = Settings &
  Texts<'profile' | 'awsProfile'> &
  Switches<'allowInsecureHttp' | 'proxyLoopback' | 'http2'>

/** The flags of {@link GlobalOptions}. Secrets are not among them: others could read them in the list of processes. */
export const globalOptions: readonly CommandOption[] = [
  {
    flags: '--profile <name>',
    description: 'the profile to use',
    default: '$SVC_AUTH_PROFILE, or the only one',
  },
  {
    flags: '--base-url <url>',
    description: 'the base URL of the service',
    default: '$SVC_AUTH_BASE_URL, then the profile',
  },
  {
    flags: '--region <name>',
    description: 'the region that signatures name',
    default: '$SVC_AUTH_REGION, then the profile',
  },
  {
    flags: '--username <name>',
    description: 'the user who logs in',
    default: '$SVC_AUTH_USERNAME, then the profile',
  },
  {
    flags: '--parent-uid <id>',
    description: 'the external ID of the primary account, for a subaccount user',
    default: '$SVC_AUTH_PARENT_UID, then the profile',
  },
  {
    flags: '--access-key-id <id>',
    description: 'the access key that signs',
    default: '$SVC_AUTH_ACCESS_KEY_ID, then $AWS_ACCESS_KEY_ID, then the profile',
  },
  {
    flags: '--repeated-parameters <order>',
    description:
      'the order of repeated query parameters in a signature; wire-order for MinIO, Ceph',
    default: '$SVC_AUTH_REPEATED_PARAMETERS, then the profile, then by-value',
  },
  awsOption,
  {
    flags: '--allow-insecure-http',
    description: 'take a base URL with http beyond this machine',
    default: '$SVC_AUTH_ALLOW_INSECURE_HTTP, if it is 1',
  },
  {
    flags: '--proxy-loopback',
    description: 'heed HTTP_PROXY also for a base URL on this machine',
    default: 'no proxy stands between this machine and itself',
  },
]

/** The flag of commands that may transfer much. */
export const http2Option: CommandOption = {
  flags: '--http2',
  description: 'offer HTTP/2 to the service',
  default: 'HTTP/1.1, which shows a response without a length that breaks off',
}

/** Makes a command of several, such as `profile add`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly commands: readonly CommandDefinition<never>[]
}

import type { CommandDefinition, GlobalOptions, Switches } from '../command.ts'
import { awsFindings } from '../aws/aws-profile.ts'
import {
  type Configuration,
  readConfiguration,
  unusedProfiles,
} from '../configuration/configuration.ts'
import { missingSecret } from '../configuration/configured-key.ts'
import { passwordRemedy } from '../configuration/configured-user.ts'
import { clientFindings } from '../configuration/oauth-client.ts'
import { emptyVariables, type Found, unknownVariables } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes } from '../exit.ts'
import { formatDuration, formatInstant } from '../output/instant.ts'
import { describeError } from '../output/report-error.ts'
import { writeResult } from '../output/standard-output.ts'
import { findKeyFaults } from '../request/key-faults.ts'
import { checkBaseUrl, openConfigured } from '../service.ts'

export const doctorCommand: CommandDefinition<Switches<'online'>> = {
  name: 'doctor',
  summary: 'say what is configured, where it was found, and what is missing',
  description:
    'Says which setting was found where, which secrets can be read, whether somebody is logged in, and what is ' +
    'missing with its remedy. It tries if a session can be kept, shows no secret, and sends nothing without --online. ' +
    'The exit code is 2 if something is missing.',
  args: [],
  options: [
    {
      flags: '--online',
      description:
        'send one request without credentials, to see if the service responds and what its clock says',
    },
  ],
  examples: [
    { line: 'svc-auth doctor', does: 'check the configuration' },
    {
      line: 'svc-auth doctor --profile production --online',
      does: 'check one profile, and the service',
    },
  ],
  async run(_, options, context) {
    const findings = await examine(options, context)
    const width = Math.max(...findings.map(([name]) => name.length))
    const marks = { ok: '  ', missing: '? ', wrong: '! ' }
    const lines = findings.map(
      ([name, state, says]) => `${marks[state]}${name.padEnd(width)}  ${says}\n`,
    )
    await writeResult(context, lines.join(''))
    return findings.every(([, state]) => state === 'ok') ? exitCodes.done : exitCodes.usage
  },
}

/** The state of one thing: `missing` for what some commands need, `wrong` for what has to be mended; and what is said of it. */
type Finding = readonly [state: 'ok' | 'missing' | 'wrong', says: string]

async function examine(
  options: GlobalOptions & Switches<'online'>,
  context: CommandContext,
): Promise<readonly (readonly [name: string, ...finding: Finding])[]> {
  const findings: [name: string, ...finding: Finding][] = []
  const add = (...finding: (typeof findings)[number]): void => void findings.push(finding)
  /** Adds what a check found, or why it failed. */
  const check = async (name: string, look: () => Promise<Finding>) => {
    try {
      add(name, ...(await look()))
    } catch (error) {
      add(name, 'wrong', describeError(error, context.clock(), baseUrl).text)
    }
  }

  add('Node.js', 'ok', process.version)
  const empty = emptyVariables(context)
  if (empty.length > 0) add('empty variables', 'ok', `${empty.join(', ')}: taken as not set`)
  const unknown = unknownVariables(context).join(', ')
  if (unknown !== '') add('unknown variables', 'ok', `${unknown}: not used, as none has that name`)
  add('profiles file', 'ok', await context.platform.profilesFile())
  let configuration: Configuration
  try {
    configuration = await readConfiguration(options, context)
  } catch (error) {
    add('profile', 'wrong', describeError(error, context.clock()).text)
    return findings
  }
  const { profile, baseUrl, region, user, key, signIn, aws } = configuration
  const instead = signIn ? 'users sign in by OAuth' : aws?.service && 'AWS takes signatures alone'
  /** Those who have one of the two credentials may want no other. */
  const needed = (setting: Found | undefined, remedy: string, hasOther: boolean): Finding => {
    if (instead && !setting) return ['ok', `none is needed: ${instead}`]
    return hasOther && !setting ? ['ok', `none; ${remedy}`] : found(setting, remedy)
  }
  const unused = ['none is used', ...unusedProfiles(configuration)].join('; ')
  add('profile', 'ok', profile ? profile.name : unused)
  await check('base URL', async () => {
    if (baseUrl) await checkBaseUrl(baseUrl, configuration)
    return found(baseUrl, '--base-url, SVC_AUTH_BASE_URL or a profile')
  })
  const outside = 'requests outside of /user need it'
  const isTokenAlone = user !== undefined && !key?.accessKeyId && !aws?.key
  const regions = `${outside}: --region, SVC_AUTH_REGION or a profile`
  add('region', ...needed(region, regions, isTokenAlone))
  const givesId = `${outside}: SVC_AUTH_ACCESS_KEY_ID or a profile`
  for (const finding of awsFindings(configuration, options, context)) add(...finding)
  const giver = aws?.key?.place.source ?? 'the credential_process'
  if (key && !key.accessKeyId) add('access key', 'ok', `from ${giver}`)
  else add('access key', ...needed(key?.accessKeyId, givesId, isTokenAlone))
  if (key) {
    await check('secret of the key', async () => {
      if (aws?.key) return aws.key.examine(options.online === true)
      const place = await key.find()
      const state = isTokenAlone ? 'ok' : 'missing'
      if (!place) return [state, (await missingSecret(key, context)).message]
      // What is typed in is looked at once it is there.
      const faults = place.isPrompt ? [] : findKeyFaults(await place.read())
      return faults.length > 0
        ? ['wrong', `from ${place.source}; ${faults.map(({ problem }) => problem).join('; ')}`]
        : ['ok', `from ${place.source}`]
    })
  }
  const below = 'requests below /user need one: --username, SVC_AUTH_USERNAME or a profile'
  add('user', ...needed(user?.username, below, key !== undefined))
  for (const finding of signIn ? clientFindings(signIn.client) : []) add(...finding)
  let unkept: string | undefined
  let hasPassword = false
  if (user) {
    if (user.parentUid) add('parent UID', ...found(user.parentUid, ''))
    let isLoggedIn = false
    await check('session', async () => {
      if (!baseUrl) return ['missing', 'it needs a base URL']
      const { session } = await openConfigured({ ...configuration, key: undefined }, context, false)
      const expiresAt = await session?.expiresAt()
      unkept = await session?.whyUnkept()
      isLoggedIn = expiresAt !== undefined
      return expiresAt === undefined
        ? ['ok', 'none']
        : ['ok', `logged in until ${formatInstant(expiresAt, context.clock())}`]
    })
    await check('password', async () => {
      const place = await user.find()
      hasPassword = place !== undefined
      if (place) return ['ok', `from ${place.source}`]
      return isLoggedIn
        ? ['ok', 'none, and none is needed until the session ends']
        : ['missing', passwordRemedy(context, user)]
    })
  }
  // A session in memory does, where each command can log in.
  const folderState = unkept === undefined || hasPassword ? 'ok' : 'wrong'
  add('sessions folder', folderState, unkept ?? (await context.platform.sessionsFolder()))
  const keyring = await context.platform.openKeyring()
  const files = `${context.platform.noKeyring}; files take its place for sessions`
  add('keyring', 'ok', keyring ? 'there is one' : files)
  if (options.online && baseUrl) {
    await check('service', async () => responds(configuration, context))
  } else if (!options.online) add('service', 'ok', 'not asked; --online sends one request')
  return findings
}

function found(setting: Found | undefined, remedy: string): Finding {
  return setting ? ['ok', `${setting.value} (from ${setting.source})`] : ['missing', remedy]
}

/** The difference of the clocks that servers like S3 take. */
const largestSkewMs = 15 * 60_000

async function responds(configuration: Configuration, context: CommandContext): Promise<Finding> {
  const bare = { ...configuration, user: undefined, key: undefined }
  const service = await openConfigured(bare, context)
  try {
    const { status, headers } = await service.fetch(`${service.baseUrl}/`, {
      method: 'HEAD',
      redirect: 'manual',
      signal: context.signal,
    })
    const skewMs = Date.parse(headers.get('date') ?? '') - context.clock()
    const state = Math.abs(skewMs) >= largestSkewMs ? 'wrong' : 'ok'
    const isRefused = [400, 401, 403].includes(status)
    const isExpected = isRefused ? ', as expected' : ''
    const clocks = describeSkew(skewMs)
    return [state, `responds with ${status}; ${clocks}; sent without credentials${isExpected}`]
  } finally {
    await service.close()
  }
}

function describeSkew(skewMs: number): string {
  if (Number.isNaN(skewMs)) return 'it tells no time'
  // The header has no fractions of a second.
  if (Math.abs(skewMs) < 2000) return 'the clocks agree'
  const side = skewMs > 0 ? 'behind' : 'ahead of'
  return `this clock is ${formatDuration(Math.abs(skewMs))} ${side} its`
}

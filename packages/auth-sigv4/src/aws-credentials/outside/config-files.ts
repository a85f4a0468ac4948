import { codeOf, Failure, type Outside } from './outside.ts'

/** The settings of a section, by their names in lower case. */
export type Section = ReadonlyMap<string, string>

/** The profiles of both files, and what was wrong with the files. */
export interface SharedConfig {
  readonly profiles: ReadonlyMap<string, Section>
  /** The sections `sso-session`, by name. */
  readonly sessions: ReadonlyMap<string, Section>
  /** Why files could not be read, for messages; a file that is not there is none. */
  readonly problems: readonly string[]
}

/** Returns a path in the folder of the user, or one that begins with it. */
export function inHome(outside: Outside, path: string): string {
  if (!path.startsWith('~/')) return path
  const { variable } = outside
  const drive = variable('HOMEPATH') && `${variable('HOMEDRIVE') ?? 'C:'}${variable('HOMEPATH')}`
  const home = variable('HOME') ?? variable('USERPROFILE') ?? drive ?? outside.home()
  return home + path.slice(1)
}

/**
 * Reads the shared files. A setting of the credentials file counts before one of the config file.
 *
 * @throws Failure if one is not in UTF-8.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
export async function readSharedConfig(outside: Outside): Promise<SharedConfig> {
  const problems: string[] = []
  const read = async (variable: string, standard: string): Promise<[string, Section][]> => {
    let path = outside.variable(variable) ?? standard
    let bytes: Uint8Array
    try {
      // A user who is not in the list of the system has no folder.
      path = inHome(outside, path)
      bytes = await outside.readFile(path)
    } catch (error) {
      // That of another user, such as the home of root in a container, says nothing of this one.
      const code = codeOf(error)
      if (code !== 'ENOENT') problems.push(`${path} cannot be read (${code})`)
      return []
    }
    return parseSections(decode(bytes, path))
  }
  const [config, credentials] = await Promise.all([
    read('AWS_CONFIG_FILE', '~/.aws/config'),
    read('AWS_SHARED_CREDENTIALS_FILE', '~/.aws/credentials'),
  ])
  const sections = (kind: string) =>
    config.flatMap(([title, section]): [string, Section][] => {
      const [, word, , quoted, plain] = /^([\w-]+)\s+(?:(["'])(.*)\2|(\S+))$/.exec(title) ?? []
      const name = quoted ?? plain
      return word === kind && name !== undefined ? [[name, section]] : []
    })
  const profiles = new Map(sections('profile'))
  // `[profile default]` replaces `[default]`.
  const standard = config.find(([title]) => title === 'default')
  if (standard && !profiles.has('default')) profiles.set(...standard)
  for (const [name, section] of credentials) {
    profiles.set(name, new Map([...(profiles.get(name) ?? []), ...section]))
  }
  return { profiles, sessions: new Map(sections('sso-session')), problems }
}

/** Decodes a file in UTF-8; one in UTF-16 has zeros. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // As with zeros.
  }
  throw new Failure(`${path} is not text in UTF-8`)
}

/** Returns the sections of a file by their titles, with all settings of a title together. */
export function parseSections(text: string): [string, Section][] {
  const sections = new Map<string, Map<string, string>>()
  let section: Map<string, string> | undefined
  let isNested = false
  for (const line of text.split(/\r\n|\n|\r/)) {
    // A comment within a line has a blank before it: a secret may have a `#`.
    const content = line.replace(/(?:^|\s)[#;].*/, '').trim()
    const title = /^\[(.*)\]$/.exec(content)?.[1]?.trim()
    const equals = content.indexOf('=')
    if (title !== undefined) {
      section = sections.get(title) ?? new Map()
      sections.set(title, section)
      isNested = false
    } else if (section && equals > 0) {
      const value = content.slice(equals + 1).trim()
      // Lines that are indented below a setting without a value are its own settings, which no key needs.
      if (isNested && /^\s/.test(line)) continue
      isNested = value === ''
      if (value !== '') section.set(content.slice(0, equals).trim().toLowerCase(), value)
    }
  }
  return [...sections]
}

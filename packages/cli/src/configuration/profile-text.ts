import { UsageError } from '../exit.ts'
import { parseProfiles, type Profile, profileSettings } from './profiles.ts'

/** Adds a profile to the text of a file, and leaves everything else of it as the user wrote it. */
export async function addProfileText(text: string, profile: Profile): Promise<string> {
  const { stringify } = await import('smol-toml')
  const table: Record<string, unknown> = {}
  for (const [setting, name] of Object.entries(profileSettings)) {
    if (profile[name] !== undefined) table[setting] = profile[name]
  }
  const before = text === '' ? '' : `${text.replace(/\n*$/, '')}\n\n`
  return `${before}${stringify({ [profile.name]: table })}`
}

/**
 * Removes a profile from the text of a file, with its lines alone.
 *
 * @throws UsageError if it is written in a way in which its lines cannot be told from others.
 */
export async function removeProfileText(text: string, name: string, path: string): Promise<string> {
  const before = await parseProfiles(text, path)
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (/^\s*\[/.test(line) ? [index] : []))
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? lines.length
    const without = [...lines.slice(0, start), ...lines.slice(end)].join('\n')
    const after = await parseProfiles(without, path).catch(() => undefined)
    if (JSON.stringify(after) === JSON.stringify(before.filter((one) => one.name !== name))) {
      return without
    }
  }
  throw new UsageError(`${path}: remove the lines of [${name}] in an editor`)
}

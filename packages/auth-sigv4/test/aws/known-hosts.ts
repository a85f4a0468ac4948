import { knownEndpoints } from '../oracle/botocore.ts'
import { documented, readEntry, readHost } from '../testing.ts'

/** A host that botocore knows, and the scopes that it signs for there: nearly always one. */
export interface KnownHost {
  readonly hostname: string
  readonly scopes: readonly (readonly [service: string, region: string])[]
}

/** Returns the hosts that botocore knows. */
export async function knownHosts(): Promise<readonly KnownHost[]> {
  const { scopes } = await knownEndpoints()
  return (
    Object.entries(scopes)
      .map(([url, found]) => ({ hostname: new URL(url).hostname, scopes: found }))
      // The rules put a name for all regions where that of a region belongs, and a region of another cloud into a
      // public domain: no such host is there.
      .filter(({ hostname }) => !/\.(?:fips-)?aws(?:-[a-z-]+)?-global\./.test(hostname))
      .filter(
        ({ hostname }) => !/\.us-isob?-[a-z]+-\d\.(?:api\.aws|amazonaws\.com)$/.test(hostname),
      )
  )
}

const start = `// Written by \`pnpm hosts\` of this package, from the rules of endpoints in botocore.

/**
 * What names the service in a host, where that is neither the signing name nor one of the parts before it, in the form of
 * \`documented.ts\`.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html
 */
`

/** Writes the exceptions among hosts as source text. */
export function writeExceptions(hosts: readonly KnownHost[]): string {
  const names = new Map<string, string>()
  const regionless = new Set<string>()
  const parts = new Set<string>()
  const patterns = documented.map((entry) => readEntry(entry)[0])
  for (const { hostname, scopes } of hosts) {
    const { name } = readHost(new URL(`https://${hostname}/`)) ?? {}
    const [[service] = ['']] = scopes
    // Those of buckets, and more, are in the list that is not generated.
    if (!name || patterns.some((pattern) => pattern.test(`${name}/`))) continue
    const [part = '', rest] = name.split(/\.(?=[^.]+$)/)
    if (rest === service && !part.includes('.')) parts.add(part)
    else if (name !== service) names.set(name, service)
    if (!/\.(?:us-gov|[a-z]+(?:-[a-z]+)+-\d)\./.test(hostname)) regionless.add(name)
  }
  const forms = new Map<string, string[]>()
  for (const [key, service] of withPatterns(names)) {
    const form = formOf(key, service)
    forms.set(form, [...(forms.get(form) ?? []), service])
  }
  const exceptions = [...forms].map(([form, services]) =>
    form.replace('()', `(${services.toSorted().join('|')})`),
  )
  return `${start}export const exceptions: readonly string[] = ${literal(exceptions)}

/** The label before the signing name, in the hosts of some of a service's operations. */
export const serviceParts: readonly string[] = ${literal([...parts])}

/** What names the service in hosts that name no region: it has one for the whole partition. */
export const regionless: readonly string[] = ${literal([...regionless])}
`
}

/** Writes an entry, in which parentheses stand for the signing name at the start or the end of a name. */
function formOf(name: string, service: string): string {
  if (name.startsWith(service)) return `()${name.slice(service.length)}`
  if (name.endsWith(service)) return `${name.slice(0, -service.length)}()`
  return `${name}=${service}`
}

function patternOf(key: string): string {
  return key.includes('.') ? key.replace(/^[^.]+/, '*') : key.replace(/.*-/, '*-')
}

/** Puts a pattern in place of several hosts that differ in their first label alone, or in what is before its last dash. */
function withPatterns(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const written = new Map<string, string>()
  for (const [key, service] of names) {
    const pattern = patternOf(key)
    const group = [...names].filter(([other]) => patternOf(other) === pattern)
    const isPattern = group.length > 1 && group.every(([, name]) => name === service)
    written.set(isPattern ? pattern : key, service)
  }
  return written
}

/** Writes a list of texts as the formatter does. */
function literal(texts: readonly string[]): string {
  return `[\n${texts
    .toSorted()
    .map((text) => `  '${text}',\n`)
    .join('')}]`
}

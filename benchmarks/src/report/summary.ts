/** The cells of a row of a table, without the first. */
type Cells = readonly string[]

/**
 * Writes the summary above a page of results: three sentences about the figures that users ask for first.
 *
 * @param page - Its sections, whose tables have the figures; a section that was not measured leaves its sentence out.
 */
export function summaryOf(page: string): string {
  return [signing(page), speed(page), size(page), targets(page)]
    .filter((sentence) => sentence !== undefined)
    .join('\n\n')
}

function signing(page: string): string | undefined {
  const [ours, whole, sameCrypto, theirs] = [
    row(page, 'Compared with other libraries', 'authorize, native'),
    row(page, 'Compared with other libraries', 'authFetch, native'),
    row(page, 'Compared with other libraries', 'authorize, webcrypto'),
    row(page, 'Compared with other libraries', 'aws4fetch'),
  ].map((cells) => cells?.[0]?.replace(/ \(.*/, ''))
  if (!ours || !whole || !sameCrypto || !theirs) return undefined
  return `**To sign a GET** on Node 24 takes ${ours} µs of a processor with Node's own cryptography, and ${whole} µs with all that \`authFetch\` does. Web Crypto, which browsers and aws4fetch have alone, is slower: ${sameCrypto} µs here, ${theirs} µs in aws4fetch.`
}

function speed(page: string): string | undefined {
  const ours = row(page, 'Whole requests over loopback', 'authFetch, signature')
  const theirs = row(page, 'Whole requests over loopback', 'aws4fetch')
  if (!ours || !theirs) return undefined
  return `**To send it** to a server on the same machine, \`authFetch\` reaches ${ours[0]} signed requests a second, ${percent(ours[1])} of what bare \`fetch\` reaches with signatures made in advance; aws4fetch reaches ${theirs[0]}, ${percent(theirs[1])}.`
}

function size(page: string): string | undefined {
  const ours = row(page, 'Start and size', '@svc/auth-sigv4 (createSigV4Auth, authFetch)')
  const theirs = row(page, 'Start and size', 'aws4fetch (AwsClient)')
  if (!ours || !theirs) return undefined
  return `**The price is size**: \`@svc/auth-sigv4\` with \`authFetch\` adds ${ours[2]} to a page and takes ${ours[0]} ms to load on Node 24; aws4fetch adds ${theirs[2]} and takes ${theirs[0]} ms.`
}

function targets(page: string): string | undefined {
  const lines = sectionOf(page, 'Targets').split('\n')
  const missed = lines.filter((line) => line.includes('| **missed** |')).length
  const met = lines.filter((line) => line.includes('| met |')).length
  if (missed + met === 0) return undefined
  const far = [
    ['CPU time of a signed `fetch`', 'authFetch, signature: CPU time against bare fetch'],
    ['memory to upload 1 GiB', '1 GiB streamed and signed'],
    ['size of `@svc/auth-sigv4`', '@svc/auth-sigv4 in a browser'],
  ].flatMap(([name, start = '']) => {
    const cells = lines.find((line) => line.startsWith(`| ${start}`))?.split(' | ')
    if (!cells?.[3]?.includes('missed')) return []
    const [, target = '', measured = ''] = cells
    return `the ${name} (${measured.replace(/ \(.*/, '')}; the target is ${target})`
  })
  const among = far.length === 0 ? '' : ` Among those that are missed: ${far.join(', ')}.`
  return `Of the ${missed + met} [targets](#targets) that the project set itself, ${met} are met and ${missed} are missed.${among}`
}

/** The first row of a section whose first cell is this text. */
function row(page: string, title: string, name: string): Cells | undefined {
  const line = sectionOf(page, title)
    .split('\n')
    .find((each) => each.startsWith(`| ${name} |`))
  return line
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

function sectionOf(page: string, title: string): string {
  return page.split(/^##+ /m).find((section) => section.startsWith(`${title}\n`)) ?? ''
}

function percent(share = ''): string {
  return `${Math.round(100 * Number(share))} %`
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byPackage } from '../../scripts/docs/order.ts'
import { describeGuide, guideGroups, root, sitePages } from './pages.ts'

interface Entry {
  readonly text: string
  readonly link?: string
  readonly target?: string
  readonly items?: Entry[]
  readonly collapsed?: boolean
}

const pages = sitePages()

/** Returns what stands beside each page. */
export function sidebar(): Entry[] {
  return [
    ...guideGroups.map(([text, names]) => ({
      text,
      items: names.map((name) => entry(`guides/${name}`)),
    })),
    ...comingFrom(),
    {
      text: 'Tools',
      // It has a policy of its own, which only a full load applies.
      items: [{ text: 'Inspector of signatures', link: '/inspector/', target: '_self' }],
    },
    {
      text: 'Packages',
      items: [entry('overview', 'All packages'), ...within('packages/').map((each) => entry(each))],
    },
    {
      text: 'Works with',
      items: [
        entry('compatibility', 'Clients and runtimes'),
        entry('works-with', 'Libraries and frameworks'),
        entry('typescript-and-test-runners', 'TypeScript, Jest, Vitest'),
        entry('react-native', 'React Native and Expo'),
      ],
    },
    {
      text: 'Reference',
      items: [
        entry('cli', 'Commands'),
        { text: 'API', link: '/api/', items: apiEntries(), collapsed: true },
        entry('examples', 'Examples'),
        entry('speed', 'Speed, memory and size'),
      ],
    },
    {
      text: 'Project',
      items: [
        entry('security', 'Security'),
        ...optional('versions', 'Versions and support'),
        { text: 'Changelog', link: '/changelog' },
        entry('architecture', 'Architecture'),
        entry('contributing', 'Contributing'),
        entry('benchmarks', 'Benchmarks'),
        entry('soak', 'Soak tests'),
        entry('documentation', 'How the API pages are made'),
      ],
    },
  ]
}

/** The pages for users of another library. */
function comingFrom(): Entry[] {
  const items = within('coming-from/').map((each) => entry(each))
  return items.length > 0 ? [{ text: 'Coming from', items }] : []
}

/** The entries of the API: each import of a package below its own. */
function apiEntries(): Entry[] {
  const addresses = within('api/').filter((address) => address !== 'api/index')
  return addresses
    .filter((address) => !address.slice('api/'.length).includes('/'))
    .map((address) => {
      const { text, link } = entry(address)
      const items = addresses
        .filter((each) => each.startsWith(`${address}/`))
        .map((each) => entry(each))
      return items.length > 0 ? { text, link, items, collapsed: true } : { text, link }
    })
}

function within(folder: string): string[] {
  const addresses = pages
    .map(({ address }) => address)
    .filter((address) => address.startsWith(folder))
  return byPackage(addresses, (address) => address)
}

function optional(address: string, text: string): Entry[] {
  return pages.some((page) => page.address === address) ? [entry(address, text)] : []
}

/** An entry with the title of its page. */
function entry(address: string, text?: string): { text: string; link: string } {
  const page = pages.find((each) => each.address === address)
  if (!page) throw new Error(`there is no page ${address}`)
  return { text: text ?? titleOf(page.document), link: `/${address}` }
}

/** The title of a document. */
function titleOf(document: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, document), 'utf8')) ?? []
  if (title === undefined) throw new Error(`${document} has no title`)
  return title.replaceAll('`', '')
}

/** A guide with its first sentence. */
type GuideCard = Readonly<Record<'title' | 'link' | 'text', string>>

/** The guides with their first sentences, as the front page lists them. */
export function guideCards(): (readonly [title: string, cards: readonly GuideCard[]])[] {
  return guideGroups.map(([group, names]) => [group, names.map(cardOf)])
}

function cardOf(name: string): GuideCard {
  const document = `docs/guides/${name}.md`
  const { text } = describeGuide(readFileSync(join(root, document), 'utf8'))
  return { title: titleOf(document), text, link: `/guides/${name}.html` }
}

import { createRandom, type Random } from '../../soak/plan/random.ts'
import { type Dimension, dimensions, type Value } from './dimensions.ts'

/**
 * One call through one adapter, by the names of its parts. All odd values follow from it.
 * `adapter` may also be a broken one of `broken.ts`.
 */
export type OddCase = { readonly [Name in Exclude<Dimension, 'adapter'>]: Value<Name> } & {
  readonly adapter: string
  /** The number that decides among values of one name, such as the control character. */
  readonly detail: number
}

// The keys of the record are the names.
const dimensionNames = Object.keys(dimensions) as Dimension[]

/** Returns a case of which everything is ordinary but what is given. */
export function oddCase(given: Partial<OddCase> & Pick<OddCase, 'adapter'>): OddCase {
  const ordinary = Object.fromEntries(dimensionNames.map((name) => [name, dimensions[name][0]]))
  // Every name of a dimension has its first value.
  return { ...(ordinary as Omit<OddCase, 'detail'>), detail: 0, ...given }
}

/** Plans a case, which follows from the seed and its number alone. */
export function planCase(seed: number, number: number): OddCase {
  const random = createRandom(seed, number)
  const planned: Record<string, string | number> = {
    ...oddCase({ adapter: random.pick(dimensions.adapter) }),
    scheme: pickScheme(random),
    detail: random.whole(0, 2 ** 20),
  }
  if (random.chance(0.6)) planned['service'] = random.pick(dimensions.service)
  // A scheme and a service that are odd leave room for one or two parts more, or nothing gets far.
  const others = ['url', 'method', 'header', 'body', 'body', 'signal', 'reading'] as const
  const seldom = ['redirect', 'timeout', 'transport', 'init'] as const
  for (let left = random.whole(1, 3); left > 0; left -= 1) {
    const name = random.chance(0.75) ? random.pick(others) : random.pick(seldom)
    planned[name] = random.pick<string>(dimensions[name])
  }
  if (random.chance(0.03)) planned['world'] = random.pick(dimensions.world)
  // Only names of their dimensions were put in.
  const plan = planned as OddCase
  return isEnded(plan) ? plan : { ...plan, signal: 'after' }
}

function pickScheme(random: Random): OddCase['scheme'] {
  const kinds = { own: 2, odd: 3, token: 2, signed: 3 }
  const starts = { own: 'own', odd: 'own-', token: 'token', signed: '' }
  const start = starts[random.weighted(kinds)]
  const found = dimensions.scheme.filter((name) =>
    start === '' ? /^(?:sigv4|selector)/.test(name) : name.startsWith(start),
  )
  return start === 'own' ? 'own' : (found[random.whole(0, found.length - 1)] ?? 'own')
}

/** The parts that go on until the caller ends them. */
const endless: ReadonlySet<string> = new Set([
  'own-never',
  'own-review-never',
  'silent',
  'half-head',
  'trickle',
  'interim-flood',
  'upgrade',
  'node-never',
  'node-endless',
  'web-never',
  'web-endless',
  'web-throwing-cancel',
  'generator-never',
  'stuck',
])

/** The signals that abort a call, at the latest after some hundred milliseconds. */
const ending: ReadonlySet<string> = new Set([
  'after',
  'turn',
  'aborted',
  'aborted-without-reason',
  'timeout',
  'any',
])

/** Tells if nothing in a case goes on for ever, or else its signal ends it. */
function isEnded(plan: OddCase): boolean {
  return ending.has(plan.signal) || !hasEndlessPart(plan)
}

/** Tells if something in a case goes on until the caller ends it. */
function hasEndlessPart(plan: OddCase): boolean {
  return dimensionNames.some((name) => endless.has(plan[name]))
}

/** Returns the odd parts of a case, without its detail. */
export function oddParts(plan: OddCase): Dimension[] {
  return dimensionNames.filter((name) => name !== 'adapter' && plan[name] !== dimensions[name][0])
}

/** Returns simpler cases: with one odd part alone, which is what most faults need, then with one less. */
export function simplerCases(plan: OddCase): OddCase[] {
  const names = oddParts(plan)
  const withLess = names.map((name) => ({ ...plan, [name]: dimensions[name][0] }))
  const { adapter, detail } = plan
  const alone = names.map((name) => oddCase({ adapter, detail, [name]: plan[name] }))
  const simpler = [
    ...(detail > 0 ? [{ ...plan, detail: 0 }] : []),
    ...(names.length > 2 ? alone : []),
    ...withLess,
  ]
  return simpler.filter(isEnded)
}

/** Writes a case as `pnpm soak --case` reads it: only what is odd. */
export function caseText(plan: OddCase): string {
  const parts = oddParts(plan).map((name) => `${name}=${plan[name]}`)
  const detail = plan.detail > 0 ? [`detail=${plan.detail}`] : []
  return [`adapter=${plan.adapter}`, ...parts, ...detail].join(' ')
}

/**
 * Reads a case as {@link caseText} writes it.
 *
 * @throws TypeError for a name that there is not.
 */
export function parseCase(text: string): OddCase {
  const given = text.split(' ').map((part): readonly [string, string | number] => {
    const [name = '', value = ''] = part.split('=')
    if (name === 'detail') return [name, Number(value)]
    const values: readonly string[] | undefined = Object.hasOwn(dimensions, name)
      ? dimensions[name as Dimension]
      : undefined
    if (!values?.includes(value) && !value.startsWith('broken-')) {
      throw new TypeError(`--case has no ${name || 'part'} that is called "${value}"`)
    }
    return [name, value]
  })
  // Each name and each value was looked up.
  return oddCase(Object.fromEntries(given) as OddCase)
}

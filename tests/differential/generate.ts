import { type Case, dimensions } from './case.ts'
import { pick, type Random, randomFrom } from './random.ts'

/** Tells if a client can be given a case at all. */
export type Takes = (one: Case) => boolean

type Name = keyof Case
const names = Object.keys(dimensions) as Name[]

/**
 * Returns cases that have every pair of values which a client takes, as far as `count` allows, and random ones
 * from there on. They depend on the seed alone.
 */
export function generateCases(seed: number, count: number, takes: Takes): Case[] {
  const random = randomFrom(seed)
  const open = new Set(allPairs())
  const cases: Case[] = []
  while (cases.length < count) {
    const one = bestOf(candidates(random, takes, open), open)
    for (const pair of pairsOf(one)) open.delete(pair)
    cases.push(one)
  }
  return cases
}

/** Returns the pairs that no case has, of those which a client takes as far as chance shows. */
export function missingPairs(cases: readonly Case[], takes: Takes, seed = 1): string[] {
  const random = randomFrom(seed)
  const possible = new Set<string>()
  for (let n = 0; n < 20_000; n += 1) {
    for (const pair of pairsOf(randomCase(random, takes))) possible.add(pair)
  }
  const had = new Set(cases.flatMap(pairsOf))
  return [...possible].filter((pair) => !had.has(pair))
}

/** Some cases to choose from; a single one as soon as no pair is open. */
function candidates(random: Random, takes: Takes, open: ReadonlySet<string>): Case[] {
  const count = open.size === 0 ? 1 : 40
  return Array.from({ length: count }, () => randomCase(random, takes))
}

function bestOf(cases: readonly Case[], open: ReadonlySet<string>): Case {
  let [best] = cases
  let most = -1
  for (const one of cases) {
    const gain = pairsOf(one).filter((pair) => open.has(pair)).length
    if (gain > most) [best, most] = [one, gain]
  }
  if (!best) throw new Error('there is no case to choose')
  return best
}

/** A case that a client takes. What does not concern it has its plain value. */
function randomCase(random: Random, takes: Takes): Case {
  for (let n = 0; n < 10_000; n += 1) {
    const one = plain({
      method: pick(random, dimensions.method),
      body: pick(random, dimensions.body),
      framing: random() < 0.4 ? 'none' : pick(random, dimensions.framing),
      pace: pick(random, dimensions.pace),
      status: pick(random, dimensions.status),
      encoding: pick(random, dimensions.encoding),
      redirect: random() < 0.3 ? 0 : pick(random, dimensions.redirect),
      target: pick(random, dimensions.target),
      mode: random() < 0.6 ? 'follow' : pick(random, dimensions.mode),
      // Rarely, since a limit hides everything else.
      limit: random() < 0.15 ? pick(random, dimensions.limit) : 'none',
    })
    if (takes(one)) return one
  }
  throw new Error('the client takes none of 10 000 cases')
}

function plain(one: Case): Case {
  const target = one.redirect === 0 ? 'same' : one.target
  const mode = one.redirect === 0 ? 'follow' : one.mode
  // Without a body, a length is either right or says that one will follow.
  const isFramed = one.framing === 'none' || allows(one)
  return { ...one, target, mode, framing: isFramed ? one.framing : 'none' }
}

/** Tells if a caller can frame a body so: a form has no length before it is sent, and nothing no wrong one. */
function allows({ body, framing }: Case): boolean {
  if (body === 'FormData') return framing === 'chunked'
  return body !== 'none' || framing === 'right length'
}

function pairsOf(one: Case): string[] {
  return names.flatMap((first, index) =>
    names.slice(index + 1).map((second) => `${first}=${one[first]} ${second}=${one[second]}`),
  )
}

function allPairs(): string[] {
  return names.flatMap((first, index) =>
    names
      .slice(index + 1)
      .flatMap((second) =>
        dimensions[first].flatMap((value) =>
          dimensions[second].map((other) => `${first}=${value} ${second}=${other}`),
        ),
      ),
  )
}

/** Checks of the arguments of one function. Each throws a `TypeError` that names the option. */
export interface Checks {
  /** Throws unless the condition holds. */
  that(condition: boolean, option: string, problem: string): void
  /**
   * Throws unless it is an object whose names are all known; one that is `undefined` counts as absent.
   *
   * @param known - An object with every name, so that the compiler misses none.
   * @param hint - Added to the message where no known name is like an unknown one.
   */
  names<Options extends object>(
    value: Options,
    option: string,
    known: Readonly<Record<keyof Options, unknown>>,
    hint?: string,
  ): void
  /** Throws unless it is an object. */
  object(value: unknown, option: string): void
  /** Throws unless it is an object; a name that is almost a known one that is absent is an error. */
  data<Data extends object>(
    value: Data,
    option: string,
    known: Readonly<Record<keyof Data, unknown>>,
  ): void
  /** Throws unless it is an array. */
  array(value: unknown, option: string): void
  /** Throws unless it is a string with at least one character. */
  text(value: unknown, option: string): void
  /** Throws unless it is a whole number above 0. */
  count(value: unknown, option: string): void
  /** Throws unless it is one of these. */
  oneOf(value: unknown, option: string, known: readonly unknown[]): void
}

/** Makes the checks of one function of this package. */
export function checksOf(caller: string): Checks {
  const that: Checks['that'] = (condition, option, problem) => {
    if (!condition) throw new TypeError(`[@svc/emulator] ${caller}: ${option} ${problem}`)
  }
  const object: Checks['object'] = (value, option) =>
    that(isObject(value), option, 'must be an object')
  return {
    that,
    object,
    names(value, option, known, hint = '') {
      object(value, option)
      const names = Object.keys(known)
      const given = Object.entries(value).filter(([, field]) => field !== undefined)
      const unknown = given.find(([name]) => !names.includes(name))?.[0]
      if (unknown === undefined) return
      const nearest = nearestName(unknown, names, 0.62)
      const remedy = nearest ? `did you mean ${nearest}?` : `the options are ${names.join(', ')}`
      that(false, unknown, `is not an option; ${remedy}${nearest ? '' : hint}`)
    },
    data(value, option, known) {
      object(value, option)
      const names = Object.keys(known)
      const absent = names.filter((name) => Reflect.get(value, name) === undefined)
      for (const [name, field] of Object.entries(value)) {
        if (field === undefined || names.includes(name)) continue
        const meant = nearestName(name, absent, 0.8)
        that(!meant, `${option}.${name}`, `is not known; did you mean ${meant}?`)
      }
    },
    array: (value, option) => that(Array.isArray(value), option, 'must be an array'),
    text: (value, option) =>
      that(typeof value === 'string' && value !== '', option, 'must be a non-empty string'),
    count: (value, option) =>
      that(
        typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
        option,
        'must be a positive integer',
      ),
    oneOf: (value, option, known) =>
      that(
        known.includes(value),
        option,
        `must be ${known.map((name) => JSON.stringify(name)).join(' or ')}`,
      ),
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the name that another one is most like, if they share more than this of their letters. */
export function nearestName(
  given: string,
  names: readonly string[],
  share: number,
): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, likeness: likenessOf(given, name) }))
    .filter(({ likeness }) => likeness > share)
    .toSorted((one, other) => other.likeness - one.likeness)
  return nearest?.name
}

// The share of letters that two names have in common in one order, their case aside.
function likenessOf(one: string, other: string): number {
  const letters = other.toLowerCase()
  let longest = Array.from({ length: letters.length }, () => 0)
  for (const letter of one.toLowerCase().slice(0, 64)) {
    let [before, last] = [0, 0]
    longest = longest.map((above, index) => {
      last = letter === letters[index] ? before + 1 : Math.max(above, last)
      before = above
      return last
    })
  }
  return (2 * (longest.at(-1) ?? 0)) / (one.length + other.length)
}

/** Checks a clock, and each instant that it returns. */
export function checkedClock(clock: () => number, checks: Checks): () => number {
  checks.that(typeof clock === 'function', 'clock', 'must be a function')
  return () => {
    const now = clock()
    checks.that(
      typeof now === 'number' && Math.abs(now) <= maxInstant,
      'clock',
      'must return epoch milliseconds',
    )
    return now
  }
}

// A hundred years are left below the last instant of `Date`, for lifetimes and skews.
const maxInstant = 8_640_000_000_000_000 - 3_200_000_000_000

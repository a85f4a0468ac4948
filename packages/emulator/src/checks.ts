/** Checks of the arguments of one function. Each throws a `TypeError` that names the option. */
export interface Checks {
  /** Throws unless the condition holds. */
  that(condition: boolean, option: string, problem: string): void
  /** Throws unless it is an object whose names are all known; one that is `undefined` counts as absent. */
  names(value: unknown, option: string, known: readonly string[]): void
  /** Throws unless it is an object. */
  object(value: unknown, option: string): void
  /** Throws unless it is an object; a name that is a known one but for its letters is an error. */
  data(value: unknown, option: string, known: readonly string[]): void
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
    names(value, option, known) {
      object(value, option)
      const given = Object.entries(Object(value)).filter(([, field]) => field !== undefined)
      const unknown = given.find(([name]) => !known.includes(name))?.[0]
      if (unknown === undefined) return
      const nearest = known.toSorted((a, b) => distance(unknown, a) - distance(unknown, b))[0]
      that(false, unknown, `is not known; did you mean ${nearest}?`)
    },
    data(value, option, known) {
      object(value, option)
      for (const [name, field] of Object.entries(Object(value))) {
        const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
        const isMisspelt = field !== undefined && meant !== undefined && meant !== name
        that(!isMisspelt, `${option}.${name}`, `is not known; did you mean ${meant}?`)
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

// Counts the edits between two names (Levenshtein), the case of letters aside.
function distance(left: string, right: string): number {
  const goal = right.toLowerCase()
  let row = Array.from({ length: goal.length + 1 }, (_, index) => index)
  for (const [line, letter] of left.toLowerCase().slice(0, 64).split('').entries()) {
    const next = [line + 1]
    for (let index = 0; index < goal.length; index += 1) {
      const kept = (row[index] ?? 0) + (letter === goal[index] ? 0 : 1)
      next.push(Math.min(kept, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row[goal.length] ?? 0
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

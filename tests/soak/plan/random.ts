/** Numbers that look random and follow from a seed alone. */
export interface Random {
  /** A number from 0 up to 1. */
  next(): number
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number
  pick<T>(values: readonly [T, ...T[]]): T
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  chance(probability: number): boolean
}

/** Numbers of their own for each combination of parts, whatever was drawn for others before. */
export function createRandom(...parts: readonly number[]): Random {
  let state = parts.reduce((hash, part) => mix(hash ^ Math.imul(part + 1, 0x9e3779b1)), 0x5eed)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    return mix(state) / 2 ** 32
  }
  const whole = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1))
  return {
    next,
    whole,
    pick: (values) => values[whole(0, values.length - 1)] ?? values[0],
    weighted(weights) {
      // The keys of the record are the names.
      const entries = Object.entries(weights) as [keyof typeof weights, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]
      if (!found) throw new Error('there is nothing to choose from')
      return found[0]
    },
    chance: (probability) => next() < probability,
  }
}

/** MurmurHash3's finalizer: each bit of the result depends on each bit of the value. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

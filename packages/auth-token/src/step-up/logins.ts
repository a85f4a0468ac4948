/** The logins that an origin caused in the last while, by what they were for, and what each counts as. */
export type Logins = Map<string, { readonly at: number; count: number }>

/** The number of logins that an origin may cause in a while: each may bother a user. */
const most = 20
const whileMs = 600_000

/** Counts a login, but the same one once in a while. Returns when it may be made, if that is not now. */
export function countLogin(logins: Logins, key: string, now: number): number | undefined {
  for (const [each, { at }] of logins) if (Math.abs(now - at) >= whileMs) logins.delete(each)
  if (logins.has(key)) return undefined
  let sum = 0
  // Once it is over, the later ones leave room.
  const last = [...logins.values()].findLast(({ count }) => (sum += count) >= most)
  if (!last) logins.set(key, { at: now, count: 1 })
  return last && last.at + whileMs
}

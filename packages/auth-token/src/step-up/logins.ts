/** The logins that servers caused in the last while, by what they were for, and what each counts as. */
export type Logins = Map<string, { readonly at: number; count: number }>

/** The number of logins that servers may cause in a while: each may bother a user. */
const most = 20
export const whileMs = 600_000
const countOfRefused = 4

/** Counts a login, but the same one once in a while. Returns when it may be made, if that is not now. */
export function countLogin(logins: Logins, key: string, now: number): number | undefined {
  for (const [each, { at }] of logins) if (Math.abs(now - at) >= whileMs) logins.delete(each)
  if (logins.has(key)) return undefined
  let sum = 0
  for (const { at, count } of [...logins.values()].toReversed()) {
    sum += count
    // The later ones leave room.
    if (sum >= most) return at + whileMs
  }
  logins.set(key, { at: now, count: 1 })
  return undefined
}

/** A login that was refused counts for more. One that failed does not: its session has a pause. */
export function countRefusal(logins: Logins, key: string): void {
  const login = logins.get(key)
  if (login) login.count = countOfRefused
}

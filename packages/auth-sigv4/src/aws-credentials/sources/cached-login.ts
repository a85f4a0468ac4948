import { abortable } from '@svc/auth-hooks/scheme'
import { type Outside, readObject } from '../outside/outside.ts'

/** The time before its end at which a login is renewed. */
const renewBeforeMs = 5 * 60_000

/** The pauses before the file is read again. */
const rereadAfterMs: readonly number[] = [0, 250, 500, 1000]

type Document = Readonly<Record<string, unknown>>

/** What the file of a login holds. */
export interface Login<T> {
  readonly value: T
  /** In epoch milliseconds. */
  readonly endsAt: number
}

/** The renewals that are under way in this process, by the path of their file. */
const renewals = new Map<string, Promise<unknown>>()

/**
 * Returns the login of a file, renewed before its end. A refresh token may be good for one renewal: this process sends
 * one for all who ask at once, and if it is refused, another process has probably used it and writes the file.
 *
 * @param loginOf - Reads the content of the file.
 * @param renew - Sends its refresh token once, and returns the new content.
 * @returns the login, which may be over if it could not be renewed; `undefined` if there is none.
 */
export async function currentLogin<T>(
  outside: Outside,
  path: string,
  loginOf: (document: Document) => Login<T> | undefined,
  renew: ((document: Document) => Promise<Document | undefined>) | undefined,
): Promise<Login<T> | undefined> {
  const read = async (): Promise<Document | undefined> => {
    const bytes = await outside.readFile(path).catch(() => undefined)
    return bytes && readObject(new TextDecoder().decode(bytes))
  }
  const lasts = (login: Login<T> | undefined, ms: number): boolean =>
    login !== undefined && login.endsAt - outside.clock() > ms
  const document = await read()
  let login = document && loginOf(document)
  const isRenewable = renew && typeof document?.['refreshToken'] === 'string'
  if (!login || lasts(login, renewBeforeMs) || !isRenewable) return login

  const renewOnce = async (): Promise<Login<T> | undefined> => {
    const latest = (await read()) ?? document
    const given = loginOf(latest)
    if (lasts(given, renewBeforeMs)) return given
    const next = await renew(latest)
    const renewed = next && loginOf(next)
    if (!lasts(renewed, 0)) return undefined
    // A folder that cannot be written to is no reason to do without the login.
    await outside.replaceFile(path, JSON.stringify(next, null, 2)).catch(() => {})
    return renewed
  }
  for (let own = false; !own;) {
    own = !renewals.has(path)
    const renewal =
      renewals.get(path) ??
      renewOnce()
        .catch(() => undefined)
        .finally(() => renewals.delete(path))
    renewals.set(path, renewal)
    // By its path, it is that of such a file.
    const renewed = (await abortable(renewal, outside.signal)) as Login<T> | undefined
    if (renewed) return renewed
  }
  for (const ms of rereadAfterMs) {
    if (ms > 0) await abortable(outside.pause(ms), outside.signal)
    const latest = await read()
    // A program may be writing it at this moment: half a document is none.
    if (latest?.['accessToken']) login = loginOf(latest) ?? login
    if (lasts(login, 0)) break
  }
  return login
}

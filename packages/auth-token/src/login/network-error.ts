/** Bounds the errors that led to another one. */
const maxCauses = 32

/** An error that led to another one, as far as it can be read. */
interface Cause {
  readonly link: object
  /** Empty if it is no word. */
  readonly name: string
  /** Empty if it has none. */
  readonly code: string
  readonly step: unknown
  readonly cause: unknown
  /** The errors that this one stands for, such as one for each address that was tried. */
  readonly errors: readonly unknown[]
}

/** Returns an error and all that led to it: what `fetch` throws says little by itself. */
export function causesOf(error: unknown): Cause[] {
  const links = new Set([error])
  const causes: Cause[] = []
  // A set visits what is added on the way, too.
  for (const link of links) {
    if (causes.length === maxCauses) break
    const found = readCause(link)
    if (!found) continue
    causes.push(found)
    links.add(found.cause)
    for (const one of found.errors) links.add(one)
  }
  return causes
}

/**
 * Tells if a request surely did not reach the server: each attempt that stands in the error failed before anything was
 * sent. Where no error tells its step, as in a page, this is not known.
 *
 * @param byCode - Decides by the code of an error that does not tell its step; `undefined` leaves that to its cause.
 */
export function wasNeverSent(
  error: unknown,
  byCode: (code: string) => boolean | undefined = () => undefined,
  depth = 0,
): boolean {
  const found = depth < maxCauses ? readCause(error) : undefined
  if (!found) return false
  const { cause, code, errors, step } = found
  if (errors.length > 0) return errors.every((one) => wasNeverSent(one, byCode, depth + 1))
  if (step !== undefined) return step === 'connect' || step === 'getaddrinfo'
  return byCode(code) ?? wasNeverSent(cause, byCode, depth + 1)
}

/** Describes the failure of a request that got no response: by its code, and the cause has the rest. */
export function describeNetworkError(error: unknown, { host }: URL): string {
  const code = causesOf(error).find((cause) => cause.code !== '')?.code
  return `got no complete response from ${host}${code === undefined ? '' : ` (${code})`}`
}

/** Reads an error; `undefined` if it is none that can be read. */
function readCause(link: unknown): Cause | undefined {
  if (typeof link !== 'object' || link === null) return undefined
  try {
    const { cause, errors, name, code, syscall } = Object(link)
    const wordIn = (text: unknown): string =>
      typeof text === 'string' && /^[\w/]{1,64}$/.test(text) ? text : ''
    return {
      link,
      name: wordIn(name),
      code: wordIn(code),
      step: syscall,
      cause,
      errors: Array.isArray(errors) ? errors.slice(0, maxCauses) : [],
    }
  } catch {
    // A getter of an error that is not ours.
    return undefined
  }
}

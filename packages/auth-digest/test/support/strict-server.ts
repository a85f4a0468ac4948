import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { type Arrived, serve } from '../../../auth-hooks/test/support/server.ts'
import { challenge, challengeWith, parameterOf } from './challenges.ts'
import { reader } from './reference-server.ts'

/** How a server keeps its nonces, as RFC 7616 lets it. */
export interface NonceRules {
  /** How often a nonce counts: with each higher count, or once. */
  readonly uses: 'any' | 'rising' | 'once'
  /** `true` if a challenge says that the credentials were right, and the nonce was not. */
  readonly saysStale: boolean
  /** `true` if each response brings the next nonce. */
  readonly givesNext: boolean
}

/** 17, 6, 18, 2 …: so many turns of the event loop pass before a server looks at a request, and the order changes. */
function turnsOf(count: number): number {
  return (count * 17) % 23
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Tells if an answer shows the password of `reader`. */
function showsPassword({ headers: { authorization }, method }: Arrived): boolean {
  const field = (name: string): string => parameterOf(authorization, name) ?? ''
  const key = sha256(`${reader.username}:${field('realm')}:${reader.password}`)
  const middle = ['nonce', 'nc', 'cnonce', 'qop'].map(field).join(':')
  return field('response') === sha256(`${key}:${middle}:${sha256(`${method}:${field('uri')}`)}`)
}

/** Starts a server that looks at each answer, unless `isPassed` responds to the request. */
export async function serveStrictly(
  { uses, saysStale, givesNext }: NonceRules,
  isPassed: (arrived: Arrived, response: ServerResponse) => boolean = () => false,
) {
  const counts = new Map<string, number>()
  const issue = (): string => {
    const nonce = `n${counts.size}`
    counts.set(nonce, 0)
    return nonce
  }
  let wrong = 0
  const server = await serve(async (arrived, response) => {
    for (let left = turnsOf(arrived.count); left > 0; left -= 1) await turn()
    if (isPassed(arrived, response)) return undefined
    const { authorization } = arrived.headers
    if (!authorization) return challenge(response, challengeWith(issue()))
    if (!showsPassword(arrived)) {
      wrong += 1
      return challenge(response, challengeWith(issue()))
    }
    const nonce = parameterOf(authorization, 'nonce') ?? ''
    const count = Number.parseInt(parameterOf(authorization, 'nc') ?? '', 16)
    const last = counts.get(nonce) ?? Infinity
    const isFresh = uses === 'any' ? last < Infinity : uses === 'once' ? last === 0 : count > last
    if (!isFresh)
      return challenge(response, challengeWith(issue(), saysStale ? ', stale=true' : ''))
    counts.set(nonce, count)
    if (givesNext) response.setHeader('authentication-info', `nextnonce="${issue()}"`)
    return response.end('yes')
  })
  return { ...server, wrong: () => wrong }
}

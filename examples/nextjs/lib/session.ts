// Who is signed in: a random id in a cookie, and the account in the memory of this process.
import 'server-only'
import { createTokenAuth } from '@svc/auth-token'
import type { UserCredentials } from '@svc/service-auth'
import { cookies } from 'next/headers'
import { connection } from 'next/server'
import { setting } from './service'

interface Session {
  user: UserCredentials
  endsAt: number
}

// Next.js may load this module more than once: `next dev` does at each change.
const shared = globalThis as typeof globalThis & { sessions?: Map<string, Session> }
const sessions = (shared.sessions ??= new Map<string, Session>())
const seconds = 8 * 60 * 60

/** Logs in as a visitor. Throws an AuthError if that fails, with `status` 401 for a wrong password. */
export async function signIn(user: UserCredentials): Promise<void> {
  // Requests with the same user go on with this login.
  await createTokenAuth({ baseUrl: setting('SERVICE_URL'), credentials: user }).getToken()
  for (const [id, { endsAt }] of sessions) if (endsAt < Date.now()) sessions.delete(id)
  const id = crypto.randomUUID()
  sessions.set(id, { user, endsAt: Date.now() + seconds * 1000 })
  const secure = process.env.NODE_ENV === 'production'
  const cookie = { httpOnly: true, secure, sameSite: 'lax', maxAge: seconds } as const
  ;(await cookies()).set('session', id, cookie)
}

/** Returns the session of the visitor who is signed in. */
export async function visitor(): Promise<Session | undefined> {
  const id = (await cookies()).get('session')?.value ?? ''
  // What follows reads the clock, and so does each login and signature.
  await connection()
  const session = sessions.get(id)
  return session && session.endsAt > Date.now() ? session : undefined
}

/** Forgets the visitor's account: without it, nothing reaches the login. */
export async function signOut(): Promise<void> {
  const cookie = await cookies()
  sessions.delete(cookie.get('session')?.value ?? '')
  cookie.delete('session')
}

'use server'
import { AuthError } from '@svc/service-auth'
import { redirect } from 'next/navigation'
import { signIn, signOut } from '../../lib/session'

/** Returns what the form shows. */
export async function logIn(_shown: string, form: FormData): Promise<string> {
  const { username, password } = Object.fromEntries(form)
  if (!isText(username) || !isText(password)) return 'Name and password are needed.'
  try {
    await signIn({ username, password })
  } catch (error) {
    if (!AuthError.is(error)) throw error
    // 401 is the password. Anything else is the service.
    if (error.status !== 401) {
      console.error(error)
      return 'The service is not available: try again later.'
    }
    // Only these two wait: others are tried at once.
    const waitMs = Math.max(0, (error.retryAt ?? 0) - Date.now())
    return `Wrong name or password. The same ones are tried again in ${Math.ceil(waitMs / 1000)} s.`
  }
  // It throws, so it stands outside of the `try`.
  return redirect('/my-groups')
}

export async function logOut(): Promise<void> {
  await signOut()
  redirect('/login')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

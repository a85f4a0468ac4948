'use client'
// The form that signs a visitor in: GET /login
import { useActionState, type ReactElement } from 'react'
import { logIn } from './actions'

export default function Page(): ReactElement {
  const [shown, action, isPending] = useActionState(logIn, '')
  return (
    <form action={action}>
      <input name="username" autoComplete="username" required />
      <input name="password" type="password" autoComplete="current-password" required />
      <button disabled={isPending}>Sign in</button>
      <p role="alert">{shown}</p>
    </form>
  )
}

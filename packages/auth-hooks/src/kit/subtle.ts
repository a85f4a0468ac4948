import { AuthError } from './errors.ts'

/** Returns `crypto.subtle`, which an insecure page and React Native lack. The message begins with the problem. */
export function requireSubtle(problem: string, remedy = ''): (typeof crypto)['subtle'] {
  const { crypto: given } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (given?.subtle) return given.subtle
  const reason = given
    ? 'the page is not a secure context (https or localhost)'
    : 'this runtime has no crypto'
  throw new AuthError('ERR_AUTH_CRYPTO', `${problem} without crypto.subtle: ${reason}${remedy}`)
}

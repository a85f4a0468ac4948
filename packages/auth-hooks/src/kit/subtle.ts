import { AuthError } from './errors.ts'

/**
 * Returns `crypto.subtle`, which neither a page that is no secure context nor React Native has, whatever the types say.
 *
 * @param problem - The beginning of the message, such as `[my-package] cannot sign`.
 * @param remedy - The end of the message.
 * @throws AuthError `ERR_AUTH_CRYPTO` if there is none.
 */
export function requireSubtle(problem: string, remedy = ''): (typeof crypto)['subtle'] {
  const { crypto: given } = globalThis as { readonly crypto?: Partial<Crypto> }
  if (given?.subtle) return given.subtle
  const reason = given
    ? 'the page is not a secure context (https or localhost)'
    : 'this runtime has no crypto'
  throw new AuthError('ERR_AUTH_CRYPTO', `${problem} without crypto.subtle: ${reason}${remedy}`)
}

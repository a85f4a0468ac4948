/** Throws where two values are not the same text, number or truth. */
export function equal<T extends string | number | boolean>(
  came: T,
  expected: T,
  what: string,
): void {
  if (came !== expected) throw new Error(`${what}: expected ${expected}, came ${came}`)
}

/** Throws where a promise does not reject with this code. */
export async function rejectsWith(promise: Promise<unknown>, code: string): Promise<void> {
  const came = await promise.then(
    () => 'no error',
    (error: unknown) =>
      typeof error === 'object' && error !== null && 'code' in error
        ? String(error.code)
        : String(error),
  )
  equal(came, code, 'error')
}

/** Throws where a call does not throw an error whose message has this word. */
export function throws(call: () => unknown, word: string): void {
  let came = 'no error'
  try {
    call()
  } catch (error) {
    came = String(error)
  }
  equal(came.includes(word), true, `${word} in ${came}`)
}

import type { TokenContender } from './token-contender.ts'

const resolved = Promise.resolve(new Response(null))

/** The least that anybody must do: keep one promise, and give it to whoever asks. */
export const tokenFloor: TokenContender = {
  name: 'a promise that is kept',
  open(logIn) {
    let token: Promise<string> | undefined
    const keep = async (): Promise<string> => (token ??= logIn())
    return {
      token: keep,
      async send() {
        await keep()
        return resolved
      },
    }
  },
}

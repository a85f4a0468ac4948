import { type TokenContender, url } from './token-contender.ts'

const resolved = Promise.resolve(new Response(null))

/** The least that every library must do: keep one promise, and send its token. */
export const tokenFloor: TokenContender = {
  name: 'a promise that is kept',
  open(logIn) {
    let token: Promise<string> | undefined
    const respond = (_url: string, _init: RequestInit): Promise<Response> => resolved
    return {
      async send() {
        const authorization = `Bearer ${await (token ??= logIn())}`
        return respond(url, { headers: { authorization } })
      },
    }
  },
}

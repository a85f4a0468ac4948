import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A page as the browser came to see it. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** What a browser says of a page that the user sees. */
export const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** Sends a request as it is told to, whatever a `fetch` would add. */
export function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  form?: URLSearchParams,
  method: string = form ? 'POST' : 'GET',
): Promise<Page> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: received } = response
      text(response).then((read) => resolve({ url, status, headers: received, text: read }), reject)
    })
    sent.on('error', reject).end(form?.toString())
  })
}

/** A browser of a user who signs in wherever they are asked to: it keeps cookies, follows redirects and submits forms. */
export function createBrowser() {
  const cookies = new Map<string, string>()

  const load = async (url: URL, form?: URLSearchParams): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
    const page = await send(url, { cookie, ...navigation, ...type }, form)
    for (const set of page.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const { location } = page.headers
    return location === undefined ? page : load(new URL(location, url))
  }

  /** Fills in a form with what the user knows, and sends it. */
  const submit = (
    page: Page,
    known: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Page> => {
    const [form = ''] = /<form[^]*<\/form>/.exec(page.text) ?? []
    const [, action = ''] = / action="([^"]*)"/.exec(form) ?? []
    const fields = new URLSearchParams(more)
    for (const [input] of form.matchAll(/<input[^>]*>/g)) {
      const [, name = ''] = / name="([^"]*)"/.exec(input) ?? []
      const [, value = ''] = / value="([^"]*)"/.exec(input) ?? []
      fields.set(name, known[name] ?? value)
    }
    return load(new URL(action.replaceAll('&amp;', '&'), page.url), fields)
  }

  return {
    load,
    submit,
    /** Opens an address, and does what the pages ask for until one asks for nothing. Resolves to that. */
    async signIn(url: string, known: Readonly<Record<string, string>> = {}): Promise<Page> {
      let page = await load(new URL(url))
      while (page.text.includes('<form')) {
        page = await submit(page, { login: 'reader', password: 'a password', ...known })
      }
      return page
    },
    /** Opens an address, and cancels. */
    async cancel(url: string): Promise<Page> {
      const page = await load(new URL(url))
      const [, abort = ''] = /<a href="([^"]*)">\[ Cancel \]/.exec(page.text) ?? []
      return load(new URL(abort, page.url))
    },
  }
}

/** A browser of a user who is signed in: it comes straight back with a code, and with what is given. */
export function straightBack(
  more: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const pages: Page[] = []
  const open = async (url: string): Promise<void> => {
    const asked = new URL(url)
    const back = new URL(asked.searchParams.get('redirect_uri') ?? '')
    const state = asked.searchParams.get('state') ?? ''
    back.search = new URLSearchParams({ code: 'a-code', state, ...more }).toString()
    pages.push(await send(back, { ...navigation, host: back.host, ...headers }))
  }
  return { open, pages }
}

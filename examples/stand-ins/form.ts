// Stands in for a browser that submits the form of a page, without script.

/** What is seen then: the words of an alert, or the address of the next page; and the cookie that was set. */
interface Submitted {
  readonly seen: string | undefined
  readonly cookie: string
}

/** Fills in the form of a page, and submits it. */
export async function submitForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  cookie = '',
): Promise<Submitted> {
  const page = await (await fetch(url, { headers: { cookie } })).text()
  const body = new FormData()
  const hidden = page.matchAll(/type="hidden" name="(.*?)"(?: value="(.*?)")?/g)
  for (const [, name = '', value = ''] of hidden) body.append(name, value.replaceAll('&quot;', '"'))
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const init = { method: 'POST', body, redirect: 'manual', headers: { cookie } } as const
  const response = await fetch(url, init)
  const [, alert] = /role="alert">(.*?)</.exec(await response.text()) ?? []
  const { headers } = response
  return {
    seen: alert ?? headers.get('location') ?? undefined,
    cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
  }
}

/** What the page says at the end. */
export type Answer = 'signed-in' | 'denied' | 'failed'

const texts: Readonly<Record<Answer, readonly [title: string, text: string]>> = {
  'signed-in': ['Signed in', 'You are signed in. You can close this window.'],
  denied: ['Not signed in', 'The sign-in was denied. You can close this window.'],
  failed: ['Not signed in', 'The sign-in failed: the program says why. You can close this window.'],
}

/**
 * Returns the page that the browser shows at the end. It has no text of anybody else's, and takes the code out of the address
 * and of the history.
 */
export function answerPage(answer: Answer): {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
} {
  const [title, text] = texts[answer]
  const nonce = crypto.randomUUID()
  const script = "history.replaceState(null,'',location.pathname);window.close()"
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><p>${text}</p><script nonce="${nonce}">${script}</script></html>`
  return {
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': `${body.length}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    },
  }
}

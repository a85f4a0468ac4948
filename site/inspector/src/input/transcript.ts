/** A request and the response to it, in the text that they were marked in. */
export interface Transcript {
  readonly request: string
  /** Empty where there is none. */
  readonly response: string
}

/** Tells if a text is what `curl -v` writes: lines marked with `>`, `<` and `*`. */
export function isTranscript(text: string): boolean {
  return /^\s*(?:[*<>] |[{}] \[)/.test(text.slice(0, 4096))
}

/**
 * Takes the last request and the response to it out of what `curl -v` writes: earlier ones led to a redirect, or
 * opened a tunnel. Whatever stands behind the head of the response is its body.
 */
export function readTranscript(text: string): Transcript {
  let request: string[] = []
  let response: string[] = []
  let body: string[] = []
  let isEnded = true
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/, '')
    if (/^>(?: |$)/.test(line)) {
      if (isEnded) [request, response, body, isEnded] = [[], [], [], false]
      request.push(line.slice(2))
    } else if (/^<(?: |$)/.test(line)) {
      isEnded = true
      response.push(line.slice(2))
    } else if (isEnded && response.length > 0 && !/^(?:\*|[{}] \[\d)/.test(line)) {
      body.push(line)
    }
  }
  return {
    request: request.join('\n'),
    response: response.length > 0 ? [...response, ...body].join('\n') : '',
  }
}

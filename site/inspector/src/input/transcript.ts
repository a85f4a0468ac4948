/** A request and the response to it, in the text that they were marked in. */
export interface Transcript {
  readonly request: string
  /** Empty where there is none. */
  readonly response: string
}

/** Tells if a text is what `curl -v` writes: lines marked with `>`, `<` and `*`. */
export function isTranscript(text: string): boolean {
  const start = text.slice(0, 65_536)
  return (
    /^\s*(?:[*<>] |[{}] \[)/.test(start) || (hasMeter(start) && /^> \S+ \S+ HTTP\//m.test(start))
  )
}

/** Tells if the meter of curl stands among its lines, which it does without `-s`. */
function hasMeter(text: string): boolean {
  return /^\s*% Total +% Received/.test(text)
}

/** Takes off a line of the meter, which ends where the next line begins. */
function withoutMeter(line: string): string {
  if (/^\s*(?:% Total|Dload +Upload)/.test(line)) return '*'
  const meter = /^[\s\d.kMG]*(?:--:--:--|\d+:\d\d:\d\d)[\s\d.:kMG-]*/.exec(line)?.[0]
  if (meter === undefined) return line
  return line.slice(meter.length) || '*'
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
  const isMetered = hasMeter(text)
  for (const raw of text.split('\n')) {
    const whole = raw.replace(/\r$/, '')
    const line = isMetered ? withoutMeter(whole) : whole
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

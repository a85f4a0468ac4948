/** Takes something away from this runtime, or puts the form in its place that React Native has. */
export function takeAway(what: string): void {
  switch (what) {
    case 'nothing':
      return
    case 'a URL of React Native':
      replace('URL', NativeUrl)
      return
    case 'a fetch of React Native': {
      replace('navigator', { product: 'ReactNative' })
      return
    }
    default: {
      const [owner = '', name] = what.split('.')
      const target: object = name === undefined ? globalThis : Reflect.get(globalThis, owner)
      if (!Reflect.deleteProperty(target, name ?? owner)) throw new Error(`${what} stays`)
    }
  }
}

function replace(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

/** Reads a URL as React Native does: it keeps the text, and normalises nothing. */
class NativeUrl {
  readonly href: string

  constructor(url: string | URL, base?: string | URL) {
    this.href = base === undefined ? String(url) : `${String(base)}${String(url)}`
  }

  get origin(): string {
    return /^https?:\/\/[^/]+/.exec(this.href)?.[0] ?? ''
  }

  get pathname(): string {
    return /^https?:\/\/[^/]+([^?#]*)/.exec(this.href)?.[1] ?? '/'
  }

  toString(): string {
    return this.href
  }
}

import type { OddCase } from './plan.ts'
import { throwingObject, throwingProxy } from './throwing.ts'

/** The method of a case; `usual` is the one that its body asks for. */
export function methodOf({ method, body }: OddCase): unknown {
  const usual = body === 'none' ? 'GET' : 'PUT'
  const values: Readonly<Record<OddCase['method'], unknown>> = {
    usual,
    'lower-case': usual.toLowerCase(),
    'mixed-case': `${usual.slice(0, 1)}${usual.slice(1).toLowerCase()}`,
    head: 'HEAD',
    options: 'OPTIONS',
    delete: 'DELETE',
    'patch-lower-case': 'patch',
    'own-verb': 'QUERY',
    get: 'GET',
    trace: 'TRACE',
    connect: 'CONNECT',
    empty: '',
    blank: 'GET /',
    'line-break': 'GET\r\nx: y',
    number: 7,
    null: null,
    symbol: Symbol('GET'),
    'throwing-object': throwingObject(),
  }
  return values[method]
}

/** The URL of a case. `request` stands for a `Request` with everything in it. */
export function urlOf(plan: OddCase, origin: string, strayOrigin: string): unknown {
  const base = `${origin}${pathOf(plan)}`
  const values: Readonly<Record<OddCase['url'], () => unknown>> = {
    plain: () => base,
    names: () => `${base}/@a:(b)'!=c,+d~e$f&g;h*i`,
    query: () => `${base}?uploads&b=2&a=1&a=0&c=x+y&d=%20&=e&f==`,
    'huge-query': () => `${base}?${'name=value&'.repeat(3000)}`,
    'encoded-dots': () => `${base}/%2e%2e/%2E/a/..%2fb/..%5cc`,
    'semicolon-dots': () => `${base}/..;/V1/k`,
    'double-slash': () => `${base}//a///b`,
    'broken-escape': () => `${base}/%zz%`,
    unicode: () => `${base}/ü/\u{1f600}/\ud800`,
    control: () => `${base}/a\u{1}b\tc\nd`,
    backslash: () => `${base}\\a\\..\\b`,
    fragment: () => `${base}#fragment?a=b`,
    userinfo: () => base.replace('://', '://user:password@'),
    relative: () => pathOf(plan),
    data: () => 'data:text/plain,ok',
    file: () => 'file:///etc/hostname',
    'no-host': () => 'http://',
    'other-origin': () => `${strayOrigin}${pathOf(plan)}`,
    'upper-case': () => base.replace('http', 'HTTP'),
    request: () => base,
    'url-object': () => new URL(base),
    'throwing-object': throwingObject,
    number: () => 7,
    undefined: () => undefined,
  }
  return values[plan.url]()
}

/** A path that the scheme covers. */
function pathOf({ scheme, detail }: Pick<OddCase, 'scheme' | 'detail'>): string {
  const isToken = scheme.startsWith('token') || (scheme.startsWith('selector') && detail % 2 === 0)
  return isToken ? '/user/groups' : '/V1/reports'
}

/** Makes the headers of a case. In an object, since a promise would ask them for their `then`. */
export async function headersOf({
  header,
  detail,
  scheme,
}: OddCase): Promise<{ readonly value: unknown }> {
  if (header === 'headers-of-undici8') {
    const { Headers: Own } = await import('undici')
    return { value: new Own({ 'x-odd': 'a' }) }
  }
  // 0x01 to 0x1f without the tab, the line feed and the carriage return, and 0x7f.
  const controls = [...Array.from({ length: 31 }, (_, index) => index + 1), 0x7f].filter(
    (code) => ![9, 10, 13].includes(code),
  )
  const control = String.fromCharCode(controls[detail % controls.length] ?? 1)
  const value = (given: unknown): Record<string, unknown> => ({ 'x-odd': given })
  const credential = scheme.startsWith('own')
    ? 'x-api-key'
    : scheme.startsWith('token')
      ? 'x-svc-security-token'
      : 'authorization'
  const values: Readonly<Record<Exclude<OddCase['header'], 'headers-of-undici8'>, () => unknown>> =
    {
      plain: () => value('a'),
      control: () => value(`a${control}b`),
      'line-break': () => value('a\r\nx-smuggled: b'),
      nul: () => value('a\0b'),
      latin1: () => value('é\u{80}\u{ff}'),
      unicode: () => value('\u{1f600}\u{153}'),
      'lone-surrogate': () => value('\ud800'),
      empty: () => value(''),
      blanks: () => value(' \t a  b \t '),
      long: () => value('a'.repeat(100_000)),
      array: () => value(['a', 'b']),
      'odd-array': () => value(['a', `b${control}`]),
      number: () => value(7),
      symbol: () => value(Symbol('a')),
      null: () => value(null),
      undefined: () => value(undefined),
      object: () => value({ a: 1 }),
      'throwing-object': () => value(throwingObject()),
      'throwing-getter': () => ({
        get 'x-odd'() {
          throw new Error('it has no value')
        },
      }),
      proxy: () => throwingProxy(value('a')),
      map: () => new Map([['x-odd', 'a']]),
      pairs: () => [
        ['x-odd', 'a'],
        ['X-Odd', 'b'],
      ],
      'odd-pairs': () => [['x-odd', 'a', 'b'], ['x-odd'], 'xy', null],
      text: () => 'x-odd: a',
      'blank-name': () => ({ 'x odd': 'a' }),
      'empty-name': () => ({ '': 'a' }),
      'unicode-name': () => ({ 'x-ödd': 'a' }),
      proto: () => JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}'),
      host: () => ({ host: 'elsewhere.example.com' }),
      'wrong-length': () => ({ 'content-length': String(detail % 5) }),
      'odd-length': () => ({ 'content-length': ['-1', '1e3', 'x', '1, 1', '0x1'][detail % 5] }),
      'transfer-encoding': () => ({ 'transfer-encoding': ['chunked', 'gzip'][detail % 2] }),
      connection: () => ({ connection: ['close', 'x-odd', 'upgrade'][detail % 3], 'x-odd': 'a' }),
      expect: () => ({ expect: '100-continue' }),
      upgrade: () => ({ upgrade: 'websocket', connection: 'upgrade' }),
      credential: () => ({ [credential]: 'one of the caller' }),
      'empty-credential': () => ({ [credential.toUpperCase()]: '' }),
      'accept-encoding': () => ({ 'accept-encoding': 'zstd, nonsense;q=2' }),
      many: () =>
        Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x-${index}`, 'a'])),
      'headers-object': () => new Headers({ 'x-odd': 'a' }),
    }
  return { value: values[header]() }
}

/** The signal of a case. */
export interface OddSignal {
  readonly value: unknown
  /** Aborts, once the call is over. */
  readonly abort: () => void
  /** Ends what the case itself keeps busy. */
  readonly end: () => void
}

/** The time after which the calls that nothing else ends are aborted. */
const abortAfterMs = 250

/** Makes the signal of a case. */
export function signalOf({ signal, detail }: OddCase): OddSignal {
  const controller = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const abortAfter = (delayMs: number): AbortSignal => {
    timers.push(setTimeout(() => controller.abort(), delayMs))
    return controller.signal
  }
  const abortInTurns = (turns: number): void => {
    if (turns === 0) controller.abort()
    else setImmediate(abortInTurns, turns - 1)
  }
  const values: Readonly<Record<OddCase['signal'], () => unknown>> = {
    none: () => undefined,
    after: () => abortAfter(abortAfterMs),
    turn() {
      // Some in the first turns of the event loop, and some while a login or a response is under way.
      if (detail % 2 === 0) return abortAfter(detail % 61)
      abortInTurns(detail % 17)
      return controller.signal
    },
    aborted: () => AbortSignal.abort(new Error('too late')),
    'aborted-without-reason'() {
      controller.abort(null)
      return controller.signal
    },
    timeout: () => AbortSignal.timeout(abortAfterMs),
    any() {
      const own = abortAfter(abortAfterMs)
      // There is a world without it.
      const join: unknown = Reflect.get(AbortSignal, 'any')
      return join ? AbortSignal.any([own, new AbortController().signal]) : own
    },
    never: () => controller.signal,
    'plain-object': () => ({ aborted: false }),
    text: () => 'a signal',
    null: () => null,
    'event-target': () => new EventTarget(),
    'throwing-proxy': () => throwingProxy(controller.signal),
    foreign: () => foreignSignal(),
  }
  return {
    value: values[signal](),
    abort: () => controller.abort(),
    end() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Returns a signal as polyfills made it: older than `throwIfAborted`. */
function foreignSignal(): EventTarget {
  return Object.assign(new EventTarget(), { aborted: false, onabort: null })
}

/** The timeout of a case, for clients that have one. */
export function timeoutOf({ timeout }: OddCase): unknown {
  const values: Readonly<Record<OddCase['timeout'], unknown>> = {
    none: undefined,
    short: 150,
    zero: 0,
    negative: -1,
    nan: Number.NaN,
    text: 'soon',
    huge: 2 ** 40,
    null: null,
  }
  return values[timeout]
}

/** The rest of an `init`, for clients that hand it on to `fetch`. */
export function initOf({ init, redirect }: OddCase): object {
  const modes: Readonly<Record<OddCase['redirect'], unknown>> = {
    default: undefined,
    follow: 'follow',
    manual: 'manual',
    error: 'error',
    odd: 'sideways',
    number: 7,
    'option-follow': undefined,
  }
  const mode = modes[redirect]
  const common = mode === undefined ? {} : { redirect: mode }
  const values: Readonly<Record<OddCase['init'], () => object>> = {
    plain: () => common,
    'no-duplex': () => common,
    keepalive: () => ({ ...common, keepalive: true }),
    'no-cors': () => ({ ...common, mode: 'no-cors' }),
    'odd-mode': () => ({ ...common, mode: 'sideways', credentials: 7, priority: 'odd' }),
    'only-if-cached': () => ({ ...common, cache: 'only-if-cached' }),
    'odd-referrer': () => ({ ...common, referrer: 'http://[', referrerPolicy: 'odd', window: 7 }),
    integrity: () => ({ ...common, integrity: 'sha256-AAAA' }),
    'throwing-getter': () => ({
      ...common,
      get cache() {
        throw new Error('it has no value')
      },
    }),
    'null-prototype': () => Object.assign(Object.create(null), common),
    frozen: () => common,
  }
  return values[init]()
}

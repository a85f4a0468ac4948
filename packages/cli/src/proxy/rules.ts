import { hasDotSegment } from '@svc/auth-hooks/scheme'
import { UsageError } from '../exit.ts'
import { denied } from './refusal.ts'
import { matchesPattern, type PathPattern, pathReadings, readPattern } from './path-patterns.ts'
import { parameterName, type Target } from './target.ts'

/** A request as the rules see it. */
export interface RuledRequest extends Target {
  readonly method: string
  readonly rawHeaders: readonly (readonly [name: string, value: string])[]
}

/** Throws a `ProxyRefusal` unless a request is allowed, with what it copies and removes elsewhere. */
export type AssertAllowed = (request: RuledRequest) => void

interface Rule {
  /** `undefined` for every method. */
  readonly methods: ReadonlySet<string> | undefined
  readonly pattern: PathPattern
  /** Names of parameters beside the harmless ones; `undefined` for all. */
  readonly parameters: ReadonlySet<string> | undefined
}

/** Reads `--allow` and `--read-only`. Without either, everything is allowed. */
export function readRules(allow: readonly string[], isReadOnly: boolean): AssertAllowed {
  const rules = allow.map(readRule)
  return (request) => {
    const { method } = request
    if (isReadOnly && method !== 'GET' && method !== 'HEAD') {
      throw denied(`${method} is not allowed by --read-only`)
    }
    const isLimited = isReadOnly || rules.length > 0
    if (isLimited && namesOf(request.query).some((name) => overrides.test(name))) {
      throw denied('a parameter that overrides the method is not allowed')
    }
    if (rules.length === 0) return
    assertRule(rules, method, request, headerParameters(request))
    for (const source of sourcesOf(request)) assertRule(rules, source.method, source, [])
  }
}

function readRule(text: string): Rule {
  const [, methods = '', path = '', mark, names = ''] =
    /^([A-Z,-]+|\*) +(\/[^\s?#]*)(\?)?(\S*)$/.exec(text) ?? []
  if (methods === '') {
    throw new UsageError(
      `--allow ${JSON.stringify(text)} is no rule; write a method and a path, such as 'GET,HEAD /V1/**' or 'PUT /V1/*?acl'`,
    )
  }
  return {
    methods: methods === '*' ? undefined : new Set(methods.split(',')),
    pattern: readPattern(path),
    parameters:
      mark && names === '*' ? undefined : new Set(names.split('&').filter((name) => name !== '')),
  }
}

/**
 * Parameters that list, page, decorate, or upload in parts. They change nothing that the method and the path
 * do not say already; all others, such as `acl`, `delete` and `versionId`, must stand in a rule.
 */
const harmlessParameters =
  /^(?:continuation-token|delimiter|encoding-type|fetch-owner|list-type|location|marker|max-(?:keys|parts|uploads)|part-number-marker|partNumber|prefix|response-(?:cache-control|content-(?:disposition|encoding|language|type)|expires)|start-after|uploadId|uploads|x-id)$/

/** Parameters that some servers take for the method. */
const overrides = /^(?:_method|x[-_]http[-_]method(?:[-_]override)?|x[-_]method[-_]override)$/i

function assertRule(
  rules: readonly Rule[],
  method: string,
  { path, query }: Target,
  more: readonly string[],
): void {
  const readings = pathReadings(path)
  const ofPath = rules.filter(
    ({ methods, pattern }) =>
      (methods === undefined || methods.has(method)) &&
      readings.every((reading) => matchesPattern(pattern, reading)),
  )
  const names = [...namesOf(query), ...more]
  const missing = ({ parameters }: Rule): string | undefined =>
    names.find((name) => parameters && !parameters.has(name) && !harmlessParameters.test(name))
  if (ofPath.some((rule) => missing(rule) === undefined)) return
  const name = ofPath.map(missing).find((one) => one !== undefined)
  const missed =
    name === undefined
      ? ''
      : ` with the parameter ${JSON.stringify(name)}; a rule names it as in 'GET /V1/**?name'`
  throw denied(`no --allow rule lets ${method} ${path} through${missed}`)
}

// Some servers split a query at semicolons too.
function namesOf(query: string): string[] {
  return query
    .split(/[&;]/)
    .filter((raw) => raw !== '')
    .map(parameterName)
}

/** Returns the parameters that headers stand for: they do what a request with that parameter does. */
function headerParameters({ rawHeaders }: RuledRequest): string[] {
  return rawHeaders.flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    if (lower === 'x-amz-acl' && value.trim() === 'private') return []
    const [, parameter] = parametersOfHeaders.find(([pattern]) => pattern.test(lower)) ?? []
    return parameter === undefined ? [] : [parameter]
  })
}

const parametersOfHeaders: readonly (readonly [pattern: RegExp, parameter: string])[] = [
  [/^x-amz-(?:acl$|grant-)/, 'acl'],
  [/^x-amz-tagging$/, 'tagging'],
  [/^x-amz-object-lock-legal-hold$/, 'legal-hold'],
  [/^x-amz-(?:object-lock-|bypass-governance-retention$)/, 'retention'],
]

/** Returns what a request reads or removes elsewhere than at its own path. */
function sourcesOf({ rawHeaders }: RuledRequest): (Target & { readonly method: string })[] {
  return rawHeaders.flatMap(([header, value]) => {
    const method = sourceMethods.get(header.toLowerCase())
    if (method === undefined) return []
    const text = value.trim()
    const [path = '', query = ''] = text.split('?', 2)
    if (/^arn:/i.test(text) || !/^[!-~]+$/.test(text) || hasDotSegment(path)) {
      throw denied(`${header} is no path that an --allow rule can name`)
    }
    return [{ method, path: path.startsWith('/') ? path : `/${path}`, query }]
  })
}

const sourceMethods: ReadonlyMap<string, string> = new Map([
  ['x-amz-copy-source', 'GET'],
  ['x-amz-rename-source', 'DELETE'],
])

import { check } from '@svc/auth-hooks/scheme'

/** An operation of a document. */
export interface Operation {
  readonly path: string
  /** In upper case. */
  readonly method: string
  /** The alternatives, each the names of the schemes that it needs; `undefined` if those of the document count. */
  readonly security: readonly (readonly string[])[] | undefined
  /** The place of the security that counts, for messages. */
  readonly place: string
  /** Its own `servers`, or those of its path. */
  readonly servers: unknown
  readonly serversPlace: string
}

/** The parts of a document that say how a request is authenticated. */
export interface OpenApiDocument {
  readonly operations: readonly Operation[]
  readonly security: Operation['security']
  readonly servers: unknown
  /** The names of its security schemes; `undefined` where it says nothing of them. */
  readonly schemeNames: readonly string[] | undefined
}

const methods: ReadonlySet<string> = new Set(
  'get put post delete options head patch trace query'.split(' '),
)

/** The most references that lead from one to the next. */
const mostReferences = 32

/**
 * Reads the operations of a document.
 *
 * @throws TypeError naming the place that is wrong.
 */
export function readOperations(document: unknown, caller: string): OpenApiDocument {
  const {
    openapi,
    paths = {},
    security,
    servers,
    components,
  } = objectAt(document, 'document', caller)
  check(
    typeof openapi === 'string' && /^3\.[012]\./.test(openapi),
    caller,
    "document.openapi must be '3.0.x', '3.1.x' or '3.2.x'; convert a Swagger 2.0 document first",
  )
  const operations: Operation[] = []
  for (const [path, item] of Object.entries(objectAt(paths, 'paths', caller))) {
    if (path.startsWith('x-')) continue
    const place = `paths.${path}`
    const resolved = resolve(document, item, place, caller)
    for (const [method, source, given] of operationsOf(resolved, place, caller)) {
      const operation = objectAt(given, `${place}.${source}`, caller)
      const own = readSecurity(operation['security'], `${place}.${source}.security`, caller)
      operations.push({
        path,
        method,
        security: own,
        place: own ? `${place}.${source}.security` : 'security',
        servers: operation['servers'] ?? resolved['servers'],
        serversPlace: `${place}.${operation['servers'] === undefined ? '' : `${source}.`}servers`,
      })
    }
  }
  const { securitySchemes } = Object(components) as { securitySchemes: unknown }
  return {
    operations,
    security: readSecurity(security, 'security', caller),
    servers,
    schemeNames: securitySchemes === undefined ? undefined : Object.keys(Object(securitySchemes)),
  }
}

/** Returns the operations of a path by their methods, with the names that they stand under. */
function operationsOf(
  item: Record<string, unknown>,
  place: string,
  caller: string,
): readonly (readonly [method: string, source: string, operation: unknown])[] {
  const { additionalOperations = {} } = item
  const more = objectAt(additionalOperations, `${place}.additionalOperations`, caller)
  const found = [
    ...Object.entries(item)
      .filter(([name]) => methods.has(name.toLowerCase()))
      .map(([name, operation]) => [name.toUpperCase(), name, operation] as const),
    ...Object.entries(more).map(
      ([name, operation]) =>
        [name.toUpperCase(), `additionalOperations.${name}`, operation] as const,
    ),
  ]
  const get = found.find(([method]) => method === 'GET')
  const hasHead = found.some(([method]) => method === 'HEAD')
  // A server that knows GET knows HEAD.
  return get && !hasHead ? [...found, ['HEAD', get[1], get[2]]] : found
}

function readSecurity(security: unknown, place: string, caller: string): Operation['security'] {
  if (security === undefined) return undefined
  check(Array.isArray(security), caller, `${place} must be an array of security requirements`)
  return security.map((requirement, index) =>
    Object.keys(objectAt(requirement, `${place}[${index}]`, caller)),
  )
}

/** Follows the references of a path item within its document. */
function resolve(
  document: unknown,
  item: unknown,
  place: string,
  caller: string,
): Record<string, unknown> {
  let found = objectAt(item, place, caller)
  for (let followed = 0; found['$ref'] !== undefined; followed += 1) {
    const { $ref: reference, ...own } = found
    check(
      typeof reference === 'string' && reference.startsWith('#/'),
      caller,
      `${place}.$ref must lead to a place in the document, such as #/components/pathItems/name: bundle it first`,
    )
    check(followed < mostReferences, caller, `${place}.$ref must not lead in a circle`)
    let target = document
    for (const key of reference.slice(2).split('/')) {
      const name = decoded(key).replaceAll('~1', '/').replaceAll('~0', '~')
      const isThere = typeof target === 'object' && target !== null && Object.hasOwn(target, name)
      check(isThere, caller, `${place}.$ref must lead to a place in the document: ${reference}`)
      target = Reflect.get(target as object, name)
    }
    found = { ...objectAt(target, place, caller), ...own }
  }
  return found
}

/** Decodes a key of a reference, which stands in the fragment of a URL. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function objectAt(value: unknown, place: string, caller: string): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  check(isObject, caller, `${place} must be an object`)
  return value as Record<string, unknown>
}

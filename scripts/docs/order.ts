/** The published packages as readers need them: the whole first, its parts, then what few import. */
const packages = [
  'service-auth',
  'auth-token',
  'auth-sigv4',
  'auth-digest',
  'route-auth-selector',
  'auth-hooks',
  'emulator',
  'types',
]

/** The exports with which a reader begins, the rest follows in the order of the sources. */
const first = [
  'createServiceAuth',
  'createTokenAuth',
  'createSessionAuth',
  'createSigV4Auth',
  'createDigestAuth',
  'createServiceRoutes',
  'createRouteAuthSelector',
  'createEmulator',
  'authFetch',
  'authKy',
  'authorizeRequest',
]

/** Sorts by the package of a name such as `auth-token`, `api/auth-token/oauth2` or `@svc/auth-token/oauth2`. */
export function byPackage<Each>(items: readonly Each[], nameOf: (item: Each) => string): Each[] {
  const rank = (item: Each): number =>
    rankIn(packages, /^(?:@svc\/|api\/|packages\/)?([\w-]+)/.exec(nameOf(item))?.[1] ?? '')
  return items.toSorted((a, b) => rank(a) - rank(b))
}

/** Sorts exports by their names. */
export function byImportance<Each extends { readonly name: string }>(
  exported: readonly Each[],
): Each[] {
  return exported.toSorted((a, b) => rankIn(first, a.name) - rankIn(first, b.name))
}

function rankIn(names: readonly string[], name: string): number {
  const place = names.indexOf(name)
  return place < 0 ? names.length : place
}

/** The packages by licence, as `pnpm licenses list --json` prints them. */
export type LicenceList = Readonly<Record<string, readonly { readonly name: string }[]>>

// They ask for their notice to be kept, and for nothing else.
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]
// Tools that only build and test are not passed on, so their own files may have to stay open.
const forDevelopment = new Set([...permissive, 'MPL-2.0', 'Python-2.0', 'WTFPL'])
const forUsers = new Set(permissive)

// Neither is passed on: the library of a program that miniflare could resize images with, and the
// data by which webpack knows browsers.
const exceptions = [
  { licence: 'LGPL-3.0-or-later', name: /^@img\/sharp-libvips-/ },
  { licence: 'CC-BY-4.0', name: /^caniuse-lite$/ },
]

/**
 * Returns a line for each package that may not be used. Those that `reachesUsers` names need a
 * licence that asks for nothing.
 */
export function checkLicences(
  list: LicenceList,
  reachesUsers: (name: string) => boolean,
): string[] {
  return Object.entries(list).flatMap(([licence, packages]) =>
    packages
      .filter(({ name }) => {
        if (allows(reachesUsers(name) ? forUsers : forDevelopment, licence)) return false
        return !exceptions.some((each) => each.licence === licence && each.name.test(name))
      })
      .map(({ name }) => `${name} is under ${licence}`),
  )
}

/** Returns `true` if an SPDX expression can be met: one side of OR, both sides of AND. */
function allows(allowed: ReadonlySet<string>, expression: string): boolean {
  const [, inner = expression] = /^\(([^()]*)\)$/.exec(expression) ?? []
  // A nested expression is for a person to read: `(MIT OR ISC) AND GPL-3.0-only` is not met by MIT.
  if (/[()]/.test(inner)) return false
  return inner
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence)))
}

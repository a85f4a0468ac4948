/** Returns a part of a manifest without the condition for which only this workspace has files. */
function withoutSource(value) {
  if (typeof value !== 'object' || value === null) return value
  const { '@svc/source': _, ...others } = value
  const entries = Object.entries(others).map(([name, target]) => [name, withoutSource(target)])
  return entries.length === 1 && entries[0][0] === 'default'
    ? entries[0][1]
    : Object.fromEntries(entries)
}

export const hooks = {
  /** A published package has no sources, and nothing that only its development needs. */
  beforePacking({ devDependencies: _, scripts: __, exports, imports, ...manifest }) {
    return {
      ...manifest,
      exports: withoutSource(exports),
      ...(imports && { imports: withoutSource(imports) }),
    }
  },
}

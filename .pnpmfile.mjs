// What only this workspace has use for, or files.
const inWorkspace = new Set(['@svc/source', 'devDependencies', 'scripts'])

/** Returns a manifest, or a part of one, as it is published. */
function publish(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
    .filter(([name]) => !inWorkspace.has(name))
    .map(([name, part]) => [name, publish(part)])
  // A target without conditions.
  if (entries.length === 1 && entries[0][0] === 'default') return entries[0][1]
  return Object.fromEntries(entries)
}

export const hooks = { beforePacking: publish }
